//===- AtomicSchedule.h - Reorders blocks and stores at atomic accesses of global memory -----------===//
//
// A host thread of the emulator runs its blocks one after the other, but a GPU runs blocks concurrently. Blocks whose
// order matters synchronize by atomic accesses. If the seed is not 0, the schedule changes the order in two ways.
//
// First, a block may yield to other blocks before an atomic access. If a kernel updates a value by a load and a
// separate store, the update of another block may then be lost.
//
// Second, an atomic store (gl.atomic_store) may be performed later than it is executed, as if it waited in a store
// buffer of the GPU. Other blocks read the old value until the delayed store is performed.
//
// Delayed stores reproduce store buffering. In this example, both blocks may read the old value:
//
//     block 0: store x; load y
//     block 1: store y; load x
//
// No interleaving of the four accesses has this result. The result is impossible only if each block executes a fence
// between its store and its load.
//
// A delayed store is performed at a random later atomic access, at a tick (BlockRunner::tick), or after the block's
// end. The store is performed earlier if its block accesses the same bytes, executes an atomic access with release
// semantics, or executes a fence of a scope wider than the block. Stores to one address are performed in the order in
// which they were executed. The block itself and other blocks of its cluster never read the old value.
//
// For race detection, a delayed store carries the accesses that its block had released when the store was executed
// (BlockOrder.h). The store is added to the synchronization history of its address only when it is performed. A reader
// of the old value is therefore not ordered after the store.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_ATOMICSCHEDULE_H
#define HOCKET_EMULATOR_BLOCK_ATOMICSCHEDULE_H

#include "emulator/block/LaneRunner.h"
#include "emulator/races/GlobalRaces.h"
#include "emulator/run/EmulatedLaunch.h"

#include <list>
#include <random>
#include <utility>

namespace hocket::emulator {

class AtomicSchedule {
public:
  /// `accesses`: race detector for global memory; null if the launch does not check for races.
  AtomicSchedule(const EmulatedLaunch &launch, LaneRunner &lanes, BlockAccesses *accesses);

  void begin(uint64_t block);
  /// True if the schedule reorders accesses in this launch.
  bool isActive() const { return active; }

  /// Must be called before an atomic access of `lane`. May yield to other blocks. Performs a random subset of the
  /// delayed stores, or all of them if the access has release semantics (`releases`).
  void comeTo(Lane &lane, uint32_t site, bool releases);
  /// Decides at random whether the block yields again after all its lanes have ended, before its delayed stores are
  /// performed.
  bool delaysEnd();
  /// Returns true if the block has yielded at an atomic access since the last call.
  bool takeGivenWay() { return std::exchange(givenWay, false); }

  struct Store {
    uintptr_t address;
    uint32_t bytes;
    bool ordersBlocks, releases;
  };
  /// Decides at random whether to delay `store`. Returns the buffer to which emulated code must store instead of
  /// `store.address`; null if the store is not delayed.
  void *tryKeep(const Store &store);
  /// Returns the address of the delayed store whose buffer is `memory`; null if `memory` is not the buffer of a delayed
  /// store.
  void *addressOf(const void *memory) const;
  /// Performs the delayed stores that overlap these bytes.
  void performAt(uintptr_t address, uint64_t bytes);
  void performAll();

private:
  struct Kept {
    alignas(8) std::byte value[8];
    Store store;
    uint32_t released; ///< last epoch whose accesses the store carries (BlockOrder.h)
  };
  void perform(std::list<Kept>::iterator which);

  const EmulatedLaunch &launch;
  LaneRunner &lanes;
  BlockAccesses *accesses;
  bool active = false, givenWay = false;
  unsigned waysLeft = 0; ///< number of times that the block may still yield; limited so that loops make progress
  uint32_t lastWarp = 0, lastSite = 0;
  std::mt19937_64 random;
  std::list<Kept> kept; ///< delayed stores, in execution order
};

} // namespace hocket::emulator

#endif
