//===- MemoryHazards.h - Hazards between accesses of buffers ----------------------===//
//
// Two accesses are a *hazard* if they may touch the same bytes, at least one writes, and different lanes may make them:
// then all warps have to wait between them.
//
//     local_store x, %a      W a
//     local_load  %a         R a     hazard with W a    (read after write)
//     local_load  %a         R a     no hazard: both read
//     local_store y, %b      W b     hazard with R a only if b reuses the memory of a   (write after read)
//
// An asynchronous access has the same hazards: earlier accesses must be settled before it starts. But it does not
// complete with the operation, see PendingAccesses.h.
//
// A `relaxed` load has no hazard with earlier stores: the program orders these itself. It has one with writes
// of asynchronous accesses (a wait covers only accesses of the waiting warp), and with later writes, like any
// load.
//
// Accesses of the same view by registers with the same layout are not a hazard if each element is held by a single
// lane: each lane then touches only its own elements, in order.
//
// An operation with `hk.ordered` has no hazard with earlier accesses: WarpPipelineLowering has already ordered these.
// It may have hazards with later ones.
//
// Accesses of slots of a ring buffer whose indices certainly differ in an iteration (RingSlots.h) have no hazard in it:
//
//     for k {
//       local_load  %ring[k % 2]          R     no hazard with the store of this iteration, but with the one before
//       local_store x, %ring[(k + 1) % 2] W
//     }
//
// Several threads use a barrier in shared memory (SharedBarrierUse) at the same time by design. Uses of one
// barrier have hazards with its initialization, not with each other. A use that announces the progress of the block follows all accesses by
// other threads, of any memory, and their waits.
//
//     local_load  %tile               R tile
//     mbarrier_arrive %empty          hazard with R tile: the tile may be overwritten from here on
//     mbarrier_wait %full             no hazard with the arrival, nor with one at %full itself
//
// Among the CTAs of a cluster (HazardScope::Cluster) two accesses are a hazard if one of them reaches the shared memory
// of another CTA: then the CTAs have to wait for each other. The start of the kernel is a hazard with the first such
// access, since the other CTA may not have started, and so is the initialization of an mbarrier with its first use from
// another CTA. The kernel is responsible for later accesses of mbarriers and asynchronous accesses by other CTAs.
//
// Each memory space has hazards of its own (MemorySpaces.h), with its own barriers. In a space other than shared memory,
// announcements follow all accesses of that space.
//
// An operation with scratch memory writes it, waits for all warps, and reads it (UsesScratch): at its barrier, all
// earlier accesses are settled.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_MEMORYHAZARDS_H
#define HOCKET_ANALYSIS_MEMORYHAZARDS_H

#include "analysis/memory/MemoryAliases.h"
#include "analysis/memory/PendingAccesses.h"
#include "analysis/memory/RingSlots.h"

namespace hocket {

/// The threads that hazards are between: those of one CTA, or those of different CTAs of a cluster.
enum class HazardScope { Cta, Cluster };

/// The accesses of one operation, by number.
struct NumberedAccesses {
  llvm::SmallVector<unsigned, 2> accesses;
  /// True if all warps wait after `accesses`, before `afterBarrier`.
  bool hasBarrier = false;
  llvm::SmallVector<unsigned, 2> afterBarrier;
};

class MemoryHazards {
public:
  /// Memory must have been allocated (hk.offset).
  explicit MemoryHazards(mlir::Operation *function, HazardScope scope = HazardScope::Cta);
  /// Returns the hazards between accesses of `space` by one CTA.
  static MemoryHazards inSpace(mlir::Operation *function, hk::MemorySpace space) {
    return MemoryHazards(function, HazardScope::Cta, space);
  }

  unsigned numAccesses() const { return accesses.size(); }
  /// True if an access reaches the shared memory, or an mbarrier, of another CTA.
  bool reachOtherCtas() const {
    return llvm::any_of(accesses, [](const Access &access) { return access.isRemote || access.usesOtherMbarriers; });
  }
  /// True if an access writes the shared memory of another CTA.
  bool storeToOtherCtas() const {
    return llvm::any_of(accesses, [](const Access &access) { return access.isRemote && access.writes; });
  }
  /// Number of the start of the kernel among the accesses in the scope of a cluster. Its operation is the function.
  static constexpr unsigned kStart = 0;
  /// True if access `number` reaches the shared memory of another CTA.
  bool isRemote(unsigned number) const { return accesses[number].isRemote; }
  const hk::Completion &completionOf(unsigned number) const { return accesses[number].completion; }
  /// Returns null for an operation that neither accesses the memory nor waits for the block, nor accesses global memory
  /// in a function with an operation that announces the progress of the block. Operations with regions, such as
  /// scf.if, have no effects of their own.
  const NumberedAccesses *effectsOf(mlir::Operation *op) const;
  /// True if one of the `pending` accesses is a hazard with access `number`, which follows them.
  bool conflicts(unsigned number, const PendingAccesses &pending) const {
    return conflicts(number, hazards[number], pending.beforeIteration()) ||
           conflicts(number, hazardsOfIteration[number], pending.ofIteration());
  }

  /// Returns the last of the `pending` accesses that is a hazard; nullopt if there is none.
  std::optional<unsigned> lastConflict(unsigned number, const PendingAccesses &pending) const;
  /// Returns the operation of access `number`.
  mlir::Operation *opOf(unsigned number) const { return accesses[number].op; }

private:
  MemoryHazards(mlir::Operation *function, HazardScope scope, hk::MemorySpace space);

  struct Access {
    mlir::Operation *op = nullptr;
    llvm::SmallVector<MemoryRegion, 1> regions;
    bool writes = false;
    hk::Completion completion = {};
    bool isRelaxed = false;
    /// hk.ordered: ordered after earlier accesses.
    bool isOrdered = false;
    /// Accesses the shared memory of another CTA.
    bool isRemote = false;
    /// Uses mbarriers of other CTAs; initializes or invalidates one of its own CTA.
    bool usesOtherMbarriers = false, isMbarrierSetup = false;
    /// The properties of a SharedBarrierUse.
    bool isByOneThread = false, isConcurrent = false, precedesWaits = false, announcesAll = false;
    /// An access of scratch memory, or of a barrier in another memory space: no announcement must follow it.
    bool isInternal = false;
    /// The layout of the registers, if there are any and no two lanes hold the same element.
    mlir::Attribute lanes = {};
    /// The innermost loop around it, and the ring buffer and slot, if it accesses one slot.
    mlir::LoopLikeOpInterface loop;
    mlir::Operation *ring = nullptr;
    std::optional<RingIndex> slot = {};
  };
  void collect(mlir::Operation *op, const MemoryAliases &aliases);
  unsigned addAccess(Access access);
  void addHazard(unsigned earlier, unsigned later);
  static bool isHazard(const Access &earlier, const Access &later);
  static bool isHazardInCluster(const Access &earlier, const Access &later);
  static bool mayOverlap(const Access &earlier, const Access &later);
  void collectAnnouncement(hk::SharedBarrierUse barrier);
  bool isBarrier(mlir::Operation *op) const;
  void collectScratch(mlir::Operation *op, int64_t bytes);
  static bool mustPrecede(const Access &earlier, const Access &announcement);
  static bool areSlotsApart(const Access &a, const Access &b);
  bool conflicts(unsigned number, const llvm::BitVector &hazardsOfIt, const llvm::BitVector &pending) const {
    if (!accesses[number].isRelaxed)
      return hazardsOfIt.anyCommon(pending);
    llvm::BitVector started = hazardsOfIt;
    started &= asynchronous;
    return started.anyCommon(pending);
  }

  const HazardScope scope;
  const hk::MemorySpace space;
  const int numCtas;
  llvm::SmallVector<Access, 0> accesses;
  bool hasAnnouncements = false;
  llvm::DenseMap<mlir::Operation *, NumberedAccesses> effects;
  /// hazards[i]: the earlier accesses that are a hazard with access i.
  llvm::SmallVector<llvm::BitVector> hazards;
  /// hazardsOfIteration[i]: those in the same iteration of the innermost loop.
  llvm::SmallVector<llvm::BitVector> hazardsOfIteration;
  /// The accesses with a counter.
  llvm::BitVector asynchronous;
};

} // namespace hocket

#endif
