//===- CopyQueue.h - Copies to shared memory that a warp has not waited for --------------------===//
//
// A warp issues copies; `commit` closes the group of those since the last one; `wait(n)` returns when all groups but
// the newest n have arrived. Until then the bytes are on their way: a GPU may write them at any time in between.
// When the emulator writes them is up to Completion. A copy that is written late reads its source late, so that an
// early change of the source shows too.
//
// Counters (dialect/hk/AsyncCounter.h) know nothing of each other: each has a queue of its own.
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
  /// The copies that have to be there after a wait for all groups but the newest `outstanding`; they are written, and
  /// forgotten with the next wait.
  const std::list<InFlight> &wait(uint32_t outstanding);
  /// An mbarrier waits for all copies so far. Returns how many were issued since the block began.
  uint64_t track(Epoch then);
  /// Those of the first `count` copies that nothing has waited for; they are written, and forgotten with the next wait.
  const std::list<InFlight> &waitForFirst(uint64_t count);
  /// Lets some time pass.
  void step();
  /// The copies that nothing has waited for; they are forgotten.
  std::vector<AsyncCopy> drop();
  void seed(uint64_t value) { random.seed(value); }

private:
  void write(InFlight &copy);
  /// Waits for copies while `has(first in flight)`.
  template <typename Predicate>
  const std::list<InFlight> &waitWhile(Predicate has);

  std::byte *shared;
  Completion completion;
  std::list<InFlight> inFlight; ///< in the order of issue
  std::list<InFlight> arrived;  ///< with the last wait
  std::list<InFlight> unused;   ///< a copy takes more than a kilobyte
  uint64_t openGroup = 0;       ///< number of groups committed
  uint64_t numIssued = 0;
  std::minstd_rand random;
};

/// The copies of one warp, a queue for each counter.
class CopyQueues {
public:
  CopyQueues(std::byte *shared, Completion completion) : shared(shared), completion(completion) {}

  CopyQueue &on(host_abi::CopyCounter counter);
  /// Lets some time pass, for the copies on all counters.
  void step();
  /// The copies that nothing has waited for; they are forgotten.
  std::vector<AsyncCopy> drop();
  void seed(uint64_t value);

private:
  /// Seeds that are near each other would let copies on two counters arrive at a fixed distance.
  void seedQueue(size_t counter) {
    queues[counter].seed(counter == 0 ? firstSeed : (firstSeed + counter) * 0x9e3779b97f4a7c15 >> 16);
  }

  std::byte *shared;
  Completion completion;
  uint64_t firstSeed = 1;
  std::vector<CopyQueue> queues; ///< by counter; of those that were used
};

} // namespace hocket::emulator

#endif
