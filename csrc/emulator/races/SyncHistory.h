//===- SyncHistory.h - What blocks told each other through atomic accesses ------------------===//
//
// The order between blocks is asked for only where two blocks touch the same memory, which most kernels never do,
// while clocks (BlockClock.h) are dear where thousands of blocks release and acquire thousands of variables: 4 us per
// atomic access of a histogram. So accesses that may order blocks are at first only written down, 50 ns each. The
// first question replays them, and from then on clocks are kept as it goes on:
//
//   log, per thread:  #12 block 3 releases 0x..40     #15 block 3 acquires 0x..80
//                     #13 block 4 acquires 0x..40     ...
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_SYNCHISTORY_H
#define HOCKET_EMULATOR_RACES_SYNCHISTORY_H

#include "emulator/races/BlockClock.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace hocket::emulator {

/// What a block knows of others, and the rules by which it gets to know. `self` is the block, `released` the last of
/// its epochs that it has passed on.
struct BlockKnowledge {
  BlockClock clock;
  BlockClock seen;   ///< with values that were read without acquiring: known after the next fence that acquires
  BlockClock fenced; ///< known at the last fence that releases: goes with values that are written

  void read(const BlockClock &variable, bool acquires);
  void write(BlockClock &variable, bool releases, uint64_t self, uint32_t released);
  void fence(bool acquires, bool releases, uint64_t self, uint32_t released);
};

/// An access of a variable or, without an address, a fence.
struct SyncEvent {
  uint64_t number; ///< in the order of all events of a launch
  uintptr_t address;
  uint32_t block;
  uint32_t released;
  bool acquires, releases, reads, writes;
};

class SyncHistory {
public:
  struct Variable {
    BlockClock clock;               ///< once the history was replayed
    std::optional<uint64_t> writer; ///< the block that last wrote it
    uint64_t version = 0; ///< number of the event that last wrote it; 0: none whose block had something to tell
  };

  /// Locks the variable at `address`, which others may share the lock with.
  void lock(uintptr_t address) { stripeOf(address).mutex.lock(); }
  void unlock(uintptr_t address) { stripeOf(address).mutex.unlock(); }
  /// Only while it is locked.
  Variable &at(uintptr_t address) { return stripeOf(address).variables[address]; }

  bool isReplayed() const { return replayed.load(std::memory_order_acquire); }
  /// Makes clocks of the events so far, if that has not been done. If not, no variable may be locked by this thread.
  void replay();
  /// What `block`, which was running at the replay, knew then. After the replay.
  BlockKnowledge knowledgeOf(uint64_t block) const;

  /// A log for one thread, which appends to it while it has a variable locked.
  std::vector<SyncEvent> &newLog();
  uint64_t nextNumber() { return 1 + count.fetch_add(1, std::memory_order_relaxed); }
  /// Events of one log beyond which to replay: they take 32 bytes each.
  static constexpr size_t kMaxEvents = size_t(1) << 22;

private:
  struct Stripe {
    std::mutex mutex;
    llvm::DenseMap<uintptr_t, Variable> variables;
  };
  Stripe &stripeOf(uintptr_t address) { return stripes[address / 4 % stripes.size()]; }
  void replayEvent(const SyncEvent &event);

  std::array<Stripe, 64> stripes;
  std::atomic<uint64_t> count = 0;
  std::atomic<bool> replayed = false;
  std::mutex mutex; ///< of what follows
  std::deque<std::vector<SyncEvent>> logs;
  std::unordered_map<uint64_t, BlockKnowledge> known; ///< by block, at the replay; does not change afterwards
};

} // namespace hocket::emulator

#endif
