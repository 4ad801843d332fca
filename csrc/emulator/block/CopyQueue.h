//===- CopyQueue.h - Outstanding asynchronous copies of a warp ---------------------------------===//
//
// A warp issues copies; `commit` closes the group of copies since the last commit; `wait(n)` returns when all groups
// except the newest n have arrived. Until that wait, the copies are in flight: a GPU may write the bytes at any time
// between the copy and the wait. Completion determines when the emulator writes the bytes. A copy that is written late
// also reads its source late, so that a premature change of the source becomes visible.
//
// Counters (dialect/hk/facts/AsyncCounter.h) are independent: each counter has its own queue.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_COPYQUEUE_H
#define HOCKET_EMULATOR_BLOCK_COPYQUEUE_H

#include "emulator/Emulator.h"
#include "emulator/block/AsyncCopy.h"

#include <list>
#include <random>
#include <vector>

namespace hocket::emulator {

/// The copies of one warp on one counter.
class CopyQueue {
public:
  /// `shared`: the block's shared memory.
  CopyQueue(std::byte *shared, Completion completion) : shared(shared), completion(completion) {}

  struct InFlight {
    AsyncCopy copy;
    uint64_t number = 0, group = 0;
    uint32_t stepsLeft = 0;
    bool written = false;
  };

  void issue(const AsyncCopy &copy);
  void commit();
  /// Writes the outstanding copies of all groups except the newest `outstanding`, and returns these copies. The list is
  /// valid until the next wait.
  const std::list<InFlight> &wait(uint32_t outstanding);
  /// Records that an mbarrier tracks all copies so far, from epoch `then` on. Returns the number of copies issued since
  /// the block began.
  uint64_t track(Epoch then);
  /// Writes the outstanding copies among the first `count`, and returns these copies. The list is valid until the next
  /// wait.
  const std::list<InFlight> &waitForFirst(uint64_t count);
  /// Advances time by one step.
  void step();
  /// Removes and returns the outstanding copies.
  std::vector<AsyncCopy> drop();
  void seed(uint64_t value) { random.seed(value); }

private:
  void write(InFlight &copy);
  /// Completes copies while `has(first in flight)` is true.
  template <typename Predicate>
  const std::list<InFlight> &waitWhile(Predicate has);

  std::byte *shared;
  Completion completion;
  std::list<InFlight> inFlight; ///< in issue order
  std::list<InFlight> arrived;  ///< completed by the last wait
  std::list<InFlight> unused;   ///< free list, because a copy takes more than a kilobyte
  uint64_t openGroup = 0;       ///< number of groups committed
  uint64_t numIssued = 0;
  std::minstd_rand random;
};

/// The copies of one warp, with one queue for each counter.
class CopyQueues {
public:
  CopyQueues(std::byte *shared, Completion completion) : shared(shared), completion(completion) {}

  CopyQueue &on(host_abi::CopyCounter counter);
  /// Advances time by one step for the copies on all counters.
  void step();
  /// Removes and returns the outstanding copies.
  std::vector<AsyncCopy> drop();
  void seed(uint64_t value);

private:
  /// Seeds a queue. The seed is hashed, because with adjacent seeds, copies on two counters would always arrive at the
  /// same distance from each other.
  void seedQueue(size_t counter) {
    queues[counter].seed(counter == 0 ? firstSeed : (firstSeed + counter) * 0x9e3779b97f4a7c15 >> 16);
  }

  std::byte *shared;
  Completion completion;
  uint64_t firstSeed = 1;
  std::vector<CopyQueue> queues; ///< by counter, for counters in use
};

} // namespace hocket::emulator

#endif
