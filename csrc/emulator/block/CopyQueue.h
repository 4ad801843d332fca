//===- CopyQueue.h - Outstanding asynchronous copies of a warp ---------------------------------===//
//
// A warp issues copies. `commit` closes the commit group of the copies since the last commit. `wait(n)` completes the
// copies of all commit groups except the newest n. Until such a wait, a copy is in flight: a GPU may write the bytes at
// any time between the copy and the wait. LaunchOptions::completion determines when the emulator writes the bytes. The
// emulator reads the source of a copy when it writes the bytes, so that a premature change of the source becomes
// visible.
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
  /// Completes the copies of all commit groups except the newest `outstanding`, and returns these copies. The list is
  /// valid until the next wait.
  const std::list<InFlight> &wait(uint32_t outstanding);
  /// Records that an mbarrier tracks all copies issued so far, from the warp's epoch `then` on. Returns the number of
  /// copies issued since the block began.
  uint64_t track(Epoch then);
  /// Completes the copies in flight among the first `count` issued copies, and returns these copies. The list is valid
  /// until the next wait.
  const std::list<InFlight> &waitForFirst(uint64_t count);
  /// Must be called at each copy, commit and wait of the warp. With Completion::Random, writes the bytes of copies
  /// whose random delay, counted in these calls, has elapsed.
  void step();
  /// Removes and returns the copies in flight.
  std::vector<AsyncCopy> drop();
  void seed(uint64_t value) { random.seed(value); }

private:
  void write(InFlight &copy);
  /// Completes the copies in flight in issue order, up to the first copy for which `has(copy)` is false.
  template <typename Predicate>
  const std::list<InFlight> &waitWhile(Predicate has);

  std::byte *shared;
  Completion completion;
  std::list<InFlight> inFlight; ///< copies in flight, in issue order
  std::list<InFlight> arrived;  ///< copies that the last wait completed
  std::list<InFlight> unused;   ///< list elements for reuse; an element takes more than 1 KiB
  uint64_t openGroup = 0;       ///< number of commit groups that the warp has committed
  uint64_t numIssued = 0;
  std::minstd_rand random;
};

/// The copies of one warp, with one queue for each counter.
class CopyQueues {
public:
  CopyQueues(std::byte *shared, Completion completion) : shared(shared), completion(completion) {}

  CopyQueue &on(host_abi::CopyCounter counter);
  /// Calls CopyQueue::step for all counters.
  void step();
  /// Removes and returns the copies in flight on all counters.
  std::vector<AsyncCopy> drop();
  void seed(uint64_t value);

private:
  /// Seeds the random number generator of the queue of `counter`. Seeds of counters after the first are hashed: with
  /// consecutive seeds, the random delays on two counters would be correlated.
  void seedQueue(size_t counter) {
    queues[counter].seed(counter == 0 ? firstSeed : (firstSeed + counter) * 0x9e3779b97f4a7c15 >> 16);
  }

  std::byte *shared;
  Completion completion;
  uint64_t firstSeed = 1;
  std::vector<CopyQueue> queues; ///< the queue of each counter, indexed by counter, up to the last counter in use
};

} // namespace hocket::emulator

#endif
