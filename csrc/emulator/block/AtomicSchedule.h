//===- AtomicSchedule.h - Reorders blocks and stores at atomic accesses of global memory -----------===//
//
// The emulator runs the blocks of one thread one after the other; a GPU runs them at the same time. Blocks whose order
// matters synchronize by atomic accesses. With a seed other than 0 an atomic access may
//
//   give way            other blocks run first: an update by a load and a store is lost, a flag is seen early
//   keep a store back   if its old value is unused (gl.atomic_store): other blocks read the old value until the store
//                       is performed, as a GPU's stores pass through buffers
//
//     block 0: store x; load y         store buffering: both may read the old value, whatever the order of the four
//     block 1: store y; load x         accesses is; only a fence between store and load excludes it
//
// A store that is kept back is performed before its block accesses the same bytes, releases anything or executes a
// fence of a scope wider than the block, at a tick, some time after the block's end, or at a later atomic access, at
// random. Stores of one address are performed in order. The block itself never reads the old value, nor do other blocks
// of its cluster.
//
// A kept store carries what its block had released when it was executed; it meets the history of its address when it is
// performed, so a reader of the old value is ordered after nothing.
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
  /// `accesses`: what finds races; null where they are not looked for.
  AtomicSchedule(const EmulatedLaunch &launch, LaneRunner &lanes, BlockAccesses *accesses);

  void begin(uint64_t block);
  /// True if the schedule does anything in this launch.
  bool isActive() const { return active; }

  /// An atomic access of `lane` is next. May let other blocks run, and performs some stores that were kept back;
  /// all of them if the access `releases`.
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
  /// Memory that is to be stored to in place of the address; null if the store is to be performed at once.
  void *tryKeep(const Store &store);
  /// The address for which `memory` stands; null if `tryKeep` has not returned it.
  void *addressOf(const void *memory) const;
  /// Performs the stores to any of these bytes.
  void performAt(uintptr_t address, uint64_t bytes);
  void performAll();

private:
  struct Kept {
    alignas(8) std::byte value[8];
    Store store;
    uint32_t released; ///< the epoch that goes with it (BlockOrder.h)
  };
  void perform(std::list<Kept>::iterator which);

  const EmulatedLaunch &launch;
  LaneRunner &lanes;
  BlockAccesses *accesses;
  bool active = false, givenWay = false;
  unsigned waysLeft = 0; ///< how often the block may still give way: one that loops must progress
  uint32_t lastWarp = 0, lastSite = 0;
  std::mt19937_64 random;
  std::list<Kept> kept; ///< in the order in which they were executed
};

} // namespace hocket::emulator

#endif
