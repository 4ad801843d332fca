//===- GlobalRaces.h - Finds races in global memory ----------------------------------------------===//
//
// Two accesses of the same bytes by different warps race if one of them is a write, or one is atomic and the other is
// not, and they are not ordered: between blocks by a chain of releases and acquires (BlockOrder.h), within a block also
// by fences and barriers (WarpOrder.h).
//
// For each granule the shadow keeps the last write, and the reads and atomic accesses that are not ordered before it.
// An access first enters itself into its own word and then checks the others: of two concurrent accesses on two
// threads, at least one sees the other. Only the first access of a warp to a granule in a segment must check: all later
// accesses of others find it in the shadow.
//
//   access \ checks      write   reads   atomics
//   write                  x       x        x      and then replaces the reads and atomics
//   read                   x                x
//   atomic                 x       x
//
// Atomic accesses of block scope are atomic only within their block. A race does not stop its block: others may wait
// for it, and each pair of blocks reaches its conflicts however the threads are scheduled. The reported race is the one
// whose later block (and program point in it) is the lowest.
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
#include "emulator/races/BulkWrites.h"
#include "emulator/races/GlobalProxy.h"
#include "emulator/races/GlobalShadow.h"
#include "emulator/races/WarpOrder.h"

namespace hocket::emulator {

/// State that all blocks of a launch share to find races.
class GlobalRaces {
public:
  explicit GlobalRaces(EmulatedLaunch &launch);

  /// True if two warps of this launch can conflict.
  bool arePossible() const { return !shadow.isEmpty(); }
  ShadowRegion *regionOf(size_t argument) const { return shadow.regionOf(argument); }

  /// Keeps `race` if it is the lowest so far.
  void report(BlockFault race);
  /// Returns the lowest race. Call after all blocks have ended.
  const std::optional<BlockFault> &firstRace() const { return first; }
  /// Returns the position of that one of the two blocks of `race` that begins later.
  uint64_t positionOf(const BlockFault &race) const;

  Segments segments;
  SyncHistory history;
  BlockSets sets;
  /// Only where bulk copies may access what lanes store.
  std::optional<GlobalProxy> proxy;

private:
  EmulatedLaunch &launch;
  GlobalShadow shadow;
  std::mutex mutex;
  std::optional<BlockFault> first;
};

/// Tracks the accesses of one block at a time, on one thread.
class BlockAccesses {
public:
  BlockAccesses(GlobalRaces &races, const Program &program)
      : races(races), program(program), order(races.segments, races.history), warps(program, program.numWarps > 1),
        unfenced(program.numWarps) {}

  void begin(uint64_t block) {
    order.begin(block);
    warps.begin();
    bulkWrites.forgetAll();
    for (auto &pieces : unfenced)
      pieces.clear();
  }
  /// Order of accesses of global memory within the block.
  WarpOrder &warpOrder() { return warps; }

  struct Place {
    AccessKind kind;
    uintptr_t address;
    uint32_t bytes;
  };
  /// An access by a lane, through the generic proxy.
  void record(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site);
  /// A row that a bulk load reads.
  void recordBulkLoad(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site);
  /// A row that a bulk store of the lane's group `group` writes, or reduces into.
  void recordBulkStore(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site, uint64_t group);
  /// The row has been written, where the lane has waited for that.
  void endBulkStore(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site) {
    recordOrder(region, place, lane, site);
  }
  /// The lane has waited for all that its groups before `group` write.
  void completeBulkStores(const Lane &lane, uint64_t group) { bulkWrites.complete(lane.thread, group); }
  /// A proxy fence for global memory.
  void fenceProxy(const Lane &lane);

  /// Locks around an atomic access that orders blocks, which must not be interrupted.
  void beginOrdered(uintptr_t address) { order.beginAccess(address); }
  /// Called after every atomic access: applies its ordering. `ordersBlocks`: beginOrdered was called before it.
  void endAtomic(const Lane &lane, uintptr_t address, host_abi::AtomicOrder atomicOrder, bool stored,
                 bool ordersBlocks);
  /// Returns what goes with a store that is performed later than it is executed (AtomicSchedule.h). After beginOrdered,
  /// `endStore` records that the store has been performed, in place of endAtomic.
  uint32_t epochOfStore(bool releases) { return order.epochOfWrite(releases); }
  void endStore(uintptr_t address, bool releases, uint32_t released) { order.endStore(address, releases, released); }
  void fence(bool acquires, bool releases) { order.fence(acquires, releases); }

private:
  /// The record of one access, made in each of its granules.
  struct Access {
    AccessKind kind;
    uint32_t site, thread, warp;
    uint32_t segment;
    const Lane *lane;
  };
  void recordOrder(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site);
  void recordWrite(const ShadowRegion &region, size_t granule, const Access &access);
  void recordShared(const ShadowRegion &region, size_t granule, const Access &access);
  AccessWord withOwn(AccessWord before, const Access &access);
  bool isOwn(AccessWord word, const Access &access) const {
    return word.segment() == access.segment && (word.thread() ^ access.thread) < program.warpSize();
  }
  bool holdsOwn(AccessWord word, const Access &access) const;
  bool isOfThisBlock(const BlockSet &set) const {
    return set.oneBlock && races.segments[set.lastSegment].block == order.block();
  }
  bool isBefore(AccessWord word, const Access &access);
  bool isBeforeInBlock(const Segment &other, uint32_t otherSite, uint32_t otherWarp, const Access &access) const;
  /// Returns a warp of this block that is in the set and not ordered before.
  std::optional<uint32_t> findUnorderedWarp(const BlockSet &set, const Access &access) const;
  bool isAfter(const Access &access, uint32_t otherWarp, uint32_t otherEpoch) const {
    return !warps.isKept() || warps.momentOf(*access.lane).isAfter(otherWarp, warps.firstEpoch() + Epoch(otherEpoch));
  }
  void look(const ShadowRegion &region, AccessKind at, size_t granule, const Access &access);
  OtherAccess memberToReport(AccessWord word, AccessKind kind, const Access &access);
  void report(const ShadowRegion &region, size_t granule, const Access &access, AccessKind otherKind, AccessWord other);
  void reportHidden(const Place &place, const Lane &lane, uint32_t site);
  void reportInFlight(const Place &place, const Lane &lane, uint32_t site, const BulkWrites::Write &write);
  bool isSegmentBefore(uint32_t segment, uint32_t warp, const Lane &lane);

  GlobalRaces &races;
  const Program &program;
  BlockOrder order;
  WarpOrder warps;
  BulkWrites bulkWrites;
  std::vector<std::vector<uintptr_t>> unfenced; ///< by warp: pieces that it has stored since its last proxy fence

  // Cache of the last results: adjacent granules mostly need the same ones.
  struct {
    uint64_t before = 0;
    uint32_t segment = 0, site = 0, warp = 0, set = 0;
  } lastAdded;
  struct {
    std::optional<uint32_t> set;
    BlockClock known;
    uint32_t warp = 0, segment = 0;
  } lastBefore; ///< a set that is ordered before
};

} // namespace hocket::emulator

#endif
