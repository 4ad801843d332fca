//===- SyncHistory.h - Log of the synchronization between blocks ----------------------------===//
//
// The order between blocks is needed only if two blocks access the same memory, which happens in few kernels. Clocks
// (BlockClock.h) are expensive if thousands of blocks release and acquire thousands of variables, as in a histogram.
// Accesses that may order blocks are therefore first appended to logs, which is much cheaper than an update of clocks.
// The first query of the order replays the logs. After the replay, each access updates the clocks.
//
//   log, per thread:  #12 block 3 releases 0x...40     #15 block 3 acquires 0x...80
//                     #13 block 4 acquires 0x...40     ...
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

/// Tracks the accesses of other blocks that happened before the next access of a block. The parameter `self` is the
/// number of the block. The parameter `released` is the block's last released epoch.
struct BlockKnowledge {
  BlockClock clock;
  BlockClock seen;   ///< join of the clocks of values read without an acquire; an acquire fence joins it into `clock`
  BlockClock fenced; ///< `clock` at the last release fence; relaxed writes attach it to their values

  void read(const BlockClock &variable, bool acquires);
  void write(BlockClock &variable, bool releases, uint64_t self, uint32_t released);
  void fence(bool acquires, bool releases, uint64_t self, uint32_t released);
};

/// An atomic access of a variable, or a fence if `address` is 0.
struct SyncEvent {
  uint64_t number; ///< position of the event among all events of a launch
  uintptr_t address;
  uint32_t block;
  uint32_t released;
  bool acquires, releases, reads, writes;
};

class SyncHistory {
public:
  struct Variable {
    BlockClock clock;               ///< clock of the variable; valid after the replay
    std::optional<uint64_t> writer; ///< the block that last wrote the variable
    uint64_t version = 0;           ///< number of the event of the last write; 0 if no write has attached a clock
  };

  /// Locks the variable at `address`; several variables may share one lock.
  void lock(uintptr_t address) { stripeOf(address).mutex.lock(); }
  void unlock(uintptr_t address) { stripeOf(address).mutex.unlock(); }
  /// Returns the variable at `address`, which must be locked.
  Variable &at(uintptr_t address) { return stripeOf(address).variables[address]; }

  bool isReplayed() const { return replayed.load(std::memory_order_acquire); }
  /// Computes the clocks from the events so far, unless they have already been computed. The calling thread must not
  /// hold a lock.
  void replay();
  /// Returns the BlockKnowledge of `block` at the time of the replay. Must be called after the replay, and only for a
  /// block that was running then.
  BlockKnowledge knowledgeOf(uint64_t block) const;

  /// Returns a new log for one thread, which appends to the log while holding a variable's lock.
  std::vector<SyncEvent> &newLog();
  uint64_t nextNumber() { return 1 + count.fetch_add(1, std::memory_order_relaxed); }
  /// Maximum number of events in one log, of 32 bytes each. A full log causes a replay.
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
  std::mutex mutex; ///< protects `logs` and `known`
  std::deque<std::vector<SyncEvent>> logs;
  std::unordered_map<uint64_t, BlockKnowledge>
      known; ///< for each block: its BlockKnowledge at the replay; immutable afterwards
};

} // namespace hocket::emulator

#endif
