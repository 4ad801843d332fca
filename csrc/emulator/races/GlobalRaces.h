//===- GlobalRaces.h - Accesses of global memory by two blocks that nothing orders ---------------===//
//
// Two accesses of the same bytes by different blocks race if one of them is a write, or one is atomic and the other is
// not, and no chain of releases and acquires (BlockOrder.h) leads from one to the other.
//
// For each granule the shadow keeps the last write, and the reads and atomic accesses that it does not stand for. An
// access first puts itself into its own word and then looks at the others: of two accesses at the same time on two
// threads, at least one sees the other. It is enough to look when a segment accesses a granule for the first time: all
// that comes later finds it in the shadow.
//
//   access \ looks at    write   reads   atomics
//   write                  x       x        x      and then stands for the reads and atomics too
//   read                   x                x
//   atomic                 x       x
//
// A race does not stop its block: others may wait for it, and whatever the threads do, each pair of blocks gets to its
// conflicts. Of all races found, the one whose later block (and there place in the program) is the lowest is reported.
//
// C. Flanagan, S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009.
//
// Cost: 10 ns per granule that an access touches, 30 ns where several blocks read it, 200 ns per atomic access that
// orders blocks.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_GLOBALRACES_H
#define HOCKET_EMULATOR_RACES_GLOBALRACES_H

#include "emulator/faults/Fault.h"
#include "emulator/races/BlockOrder.h"
#include "emulator/races/BlockSets.h"
#include "emulator/races/GlobalShadow.h"

namespace hocket::emulator {

/// What all blocks of a launch share to find races.
class GlobalRaces {
public:
  explicit GlobalRaces(EmulatedLaunch &launch);

  /// Whether two blocks of this launch can be in conflict at all.
  bool arePossible() const { return !shadow.isEmpty(); }
  ShadowRegion *regionOf(size_t argument) const { return shadow.regionOf(argument); }

  /// Keeps `race` if it is the lowest so far.
  void report(BlockFault race);
  /// To be asked when all blocks have ended.
  const std::optional<BlockFault> &firstRace() const { return first; }
  /// Of the two blocks of `race`, the position of the one that begins later.
  uint64_t positionOf(const BlockFault &race) const;

  Segments segments;
  SyncHistory history;
  BlockSets sets;

private:
  EmulatedLaunch &launch;
  GlobalShadow shadow;
  std::mutex mutex;
  std::optional<BlockFault> first;
};

/// The accesses of one block after the other, on one thread.
class BlockAccesses {
public:
  explicit BlockAccesses(GlobalRaces &races) : races(races), order(races.segments, races.history) {}

  void begin(uint64_t block) { order.begin(block); }

  struct Access {
    AccessKind kind;
    uintptr_t address;
    uint32_t bytes;
    uint32_t site;
    uint32_t thread;
  };
  void record(const ShadowRegion &region, const Access &access);

  /// Around an atomic access that orders blocks, which must not be interrupted.
  void beginOrdered(uintptr_t address) { order.beginAccess(address); }
  void endOrdered(uintptr_t address, host_abi::AtomicOrder atomicOrder, bool stored) {
    order.endAccess(address, uint32_t(atomicOrder) & 1, uint32_t(atomicOrder) & 2, stored);
  }
  void fence(bool acquires, bool releases) { order.fence(acquires, releases); }

private:
  void recordWrite(const ShadowRegion &region, size_t granule, const Access &access);
  void recordShared(const ShadowRegion &region, size_t granule, const Access &access);
  AccessWord withOwn(AccessWord before, const Access &access);
  bool holdsOwn(AccessWord word) const;
  bool isBefore(AccessWord word);
  void look(const ShadowRegion &region, AccessKind at, size_t granule, const Access &access);
  void report(const ShadowRegion &region, size_t granule, const Access &access, AccessKind otherKind, AccessWord other);

  GlobalRaces &races;
  BlockOrder order;

  // The last answers: neighbouring granules mostly ask the same.
  struct {
    uint64_t before = 0;
    uint32_t segment = 0, site = 0, set = 0;
  } lastAdded;
  struct {
    std::optional<uint32_t> set;
    BlockClock known;
    bool answer = false;
  } lastCompared;
};

} // namespace hocket::emulator

#endif
