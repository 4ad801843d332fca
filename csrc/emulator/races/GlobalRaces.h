//===- GlobalRaces.h - Finds races in global memory ----------------------------------------------===//
//
// Two accesses of the same bytes by different warps race if they conflict and are not ordered. Two accesses conflict if
// one is a write, or if exactly one is atomic. Chains of releases and acquires order accesses of different blocks
// (BlockOrder.h). Within a block, fences and barriers order accesses, too (WarpOrder.h).
//
// For each granule, the shadow keeps the last write, and the reads and atomic accesses since that write. An access
// first writes its own shadow word and then checks the other shadow words of the granule. Therefore at least one of two
// concurrent accesses on two host threads finds the other access. Only the first access of a warp to a granule in a
// segment must be checked, because later accesses by other warps find the first access in the shadow.
//
//   access \ checks      write   reads   atomics
//   write                  x       x        x      afterwards it replaces the recorded reads and atomics
//   read                   x                x
//   atomic                 x       x
//
// Atomic accesses of block scope are atomic only within their block. A race does not stop its block, because other
// blocks may wait for this block. The set of races therefore does not depend on the schedule of the host's threads. The
// launch reports one race: the race whose later block is the first in the order of blocks. Several races of this block
// are ranked by their sites.
//
// C. Flanagan, S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009.
//
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

/// State of the race detector that all blocks of a launch share.
class GlobalRaces {
public:
  explicit GlobalRaces(EmulatedLaunch &launch);

  /// True if accesses of two warps of this launch can conflict.
  bool arePossible() const { return !shadow.isEmpty(); }
  ShadowRegion *regionOf(size_t argument) const { return shadow.regionOf(argument); }

  /// Records `race` if it ranks before all races so far.
  void report(BlockFault race);
  /// Returns the race to report. Must be called after all blocks have ended.
  const std::optional<BlockFault> &firstRace() const { return first; }
  /// Returns the position of the later block of `race` in the launch's sequence of blocks.
  uint64_t positionOf(const BlockFault &race) const;

  Segments segments;
  SyncHistory history;
  BlockSets sets;
  /// Present only if bulk copies may access bytes that lanes store.
  std::optional<GlobalProxy> proxy;

private:
  EmulatedLaunch &launch;
  GlobalShadow shadow;
  std::mutex mutex;
  std::optional<BlockFault> first;
};

/// Tracks the accesses of one block at a time, on one host thread.
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
  /// Records an access by a lane, through the generic proxy.
  void record(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site);
  /// Records that a bulk load reads a row of a tensor box.
  void recordBulkLoad(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site);
  /// Records that a bulk store writes a row of a tensor box, or reduces into the row. `group`: number of the store's
  /// bulk group among the bulk groups of the lane.
  void recordBulkStore(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site, uint64_t group);
  /// Records the end of a bulk store's write of a row. Must be called when the lane has waited for this write.
  void endBulkStore(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site) {
    recordOrder(region, place, lane, site);
  }
  /// Records that the lane has waited for the writes of its bulk groups before `group`.
  void completeBulkStores(const Lane &lane, uint64_t group) { bulkWrites.complete(lane.thread, group); }
  /// Records a proxy fence for global memory.
  void fenceProxy(const Lane &lane);

  /// Must be called before an atomic access that orders blocks. No other block accesses the address until `endAtomic`.
  void beginOrdered(uintptr_t address) { order.beginAccess(address); }
  /// Applies the ordering of an atomic access. Must be called after every atomic access. `ordersBlocks`: true if
  /// beginOrdered was called before the access.
  void endAtomic(const Lane &lane, uintptr_t address, host_abi::AtomicOrder atomicOrder, bool stored,
                 bool ordersBlocks);
  /// Returns the last epoch whose accesses are attached to the value of a store that is performed later than it is
  /// executed (AtomicSchedule.h). When the store is performed, `endStore` must be called instead of `endAtomic`.
  uint32_t epochOfStore(bool releases) { return order.epochOfWrite(releases); }
  void endStore(uintptr_t address, bool releases, uint32_t released) { order.endStore(address, releases, released); }
  void fence(bool acquires, bool releases) { order.fence(acquires, releases); }

private:
  /// An access, which is recorded in each granule that it covers.
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
  /// Returns a warp of this block whose access in `set` is not ordered before `access`; nullopt if there is none.
  std::optional<uint32_t> findUnorderedWarp(const BlockSet &set, const Access &access) const;
  bool isAfter(const Access &access, uint32_t otherWarp, uint32_t otherEpoch) const {
    return !warps.isKept() || warps.clocksOf(*access.lane).isAfter(otherWarp, warps.firstEpoch() + Epoch(otherEpoch));
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
  std::vector<std::vector<uintptr_t>>
      unfenced; ///< for each warp: 16-byte chunks to which it has stored since its last proxy fence

  // Cache of the last results of `withOwn` and `isBefore`. Adjacent granules mostly need the same results.
  struct {
    uint64_t before = 0;
    uint32_t segment = 0, site = 0, warp = 0, set = 0;
  } lastAdded;
  struct {
    std::optional<uint32_t> set;
    BlockClock known;
    uint32_t warp = 0, segment = 0;
  } lastBefore; ///< the last set whose members were all ordered before an access
};

} // namespace hocket::emulator

#endif
