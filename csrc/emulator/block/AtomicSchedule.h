//===- AtomicSchedule.h - Reorders blocks and stores at atomic accesses of global memory -----------===//
//
// Each thread of the emulator runs its blocks one after the other; a GPU runs blocks at the same time. Blocks whose
// order matters synchronize by atomic accesses. With a seed other than 0, an atomic access may
//
//   give way            other blocks run first, e.g. between the load and the store of an update, which is then lost
//   keep a store back   if the old value is unused (gl.atomic_store): other blocks read the old value until the store
//                       is performed, as if the store waited in a buffer of the GPU
//
//     block 0: store x; load y         store buffering: both blocks may read the old value, which no order of the four
//     block 1: store y; load x         accesses explains; only a fence between store and load excludes this result
//
// A store that is kept back is performed at a random later atomic access, at a tick, or after the block's end. The
// store is performed earlier if its block accesses the same bytes, executes a release, or executes a fence of a scope
// wider than the block. Stores to one address are performed in order. The block itself never reads the old value, nor
// do other blocks of its cluster.
//
// The order of a store that is kept back is determined by the clocks that its block had released when the store was
// executed. The store enters the access history of its address only when it is performed, so a reader of the old value
// is not ordered after the store.
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
  /// `accesses`: the access history in which races are found; null if the launch does not check for races.
  AtomicSchedule(const EmulatedLaunch &launch, LaneRunner &lanes, BlockAccesses *accesses);

  void begin(uint64_t block);
  /// True if the schedule reorders accesses in this launch.
  bool isActive() const { return active; }

  /// Must be called before an atomic access of `lane`. May let other blocks run. Performs some of the stores that were
  /// kept back; if the access `releases`, performs all of them.
  void comeTo(Lane &lane, uint32_t site, bool releases);
  /// True if other blocks run once more after all lanes have ended, before stores that are kept back are performed.
  bool delaysEnd();
  /// True if an access has given way since the last call.
  bool takeGivenWay() { return std::exchange(givenWay, false); }

  struct Store {
    uintptr_t address;
    uint32_t bytes;
    bool ordersBlocks, releases;
  };
  /// Returns memory to which emulated code must store instead of the address; null if it must perform the store at
  /// once.
  void *tryKeep(const Store &store);
  /// Returns the address in whose place `tryKeep` has returned `memory`; null if it has not returned `memory`.
  void *addressOf(const void *memory) const;
  /// Performs the stores that were kept back to any of these bytes.
  void performAt(uintptr_t address, uint64_t bytes);
  void performAll();

private:
  struct Kept {
    alignas(8) std::byte value[8];
    Store store;
    uint32_t released; ///< the epoch of the released clocks (BlockOrder.h)
  };
  void perform(std::list<Kept>::iterator which);

  const EmulatedLaunch &launch;
  LaneRunner &lanes;
  BlockAccesses *accesses;
  bool active = false, givenWay = false;
  unsigned waysLeft = 0; ///< how often the block may still give way; the limit lets a block that loops make progress
  uint32_t lastWarp = 0, lastSite = 0;
  std::mt19937_64 random;
  std::list<Kept> kept; ///< in the order in which the stores were executed
};

} // namespace hocket::emulator

#endif
