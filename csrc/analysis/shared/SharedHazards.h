//===- SharedHazards.h - Which accesses of shared memory must be kept apart -------===//
//
// Two accesses are a *hazard* if they may touch the same bytes, at least one writes, and different lanes may do it:
// then all warps have to wait between them.
//
//     local_store x, %a      W a
//     local_load  %a         R a     hazard with W a    (read after write)
//     local_load  %a         R a     no hazard: nobody writes
//     local_store y, %b      W b     hazard with R a only if b took over the memory of a   (write after read)
//
// An asynchronous access is an access like others: what was accessed before must be settled before it starts. But it is
// not done when the operation is, see PendingAccesses.h.
//
// A `relaxed` load is no hazard with what was stored before it: the program orders these itself. It is one with what
// asynchronous accesses have written (a wait is about what the waiting warp has started), and with what is written
// after it, like any load.
//
// Not a hazard: accesses of the same view by registers with the same layout, when no two lanes hold the same element.
// Each lane then touches only what it has touched itself, in order.
//
// Nor is there a hazard between an operation with `hk.ordered` and what comes before it: WarpPipelineLowering has
// already put these in order. With what comes after it, there may be.
//
// Nor, in one iteration of a loop, are accesses of slots of a ring whose indices certainly differ there (RingSlots.h):
//
//     for k {
//       local_load  %ring[k % 2]          R     no hazard with the store of this iteration, but with the one before
//       local_store x, %ring[(k + 1) % 2] W
//     }
//
// Uses of a barrier that lies in shared memory (SharedBarrierUse) are in progress in several threads at once by nature.
// They are hazards with its initialisation, not with each other. One that announces how far the block has come follows
// everything that other threads did to memory, wherever: their accesses, global ones too, and their waits.
//
//     local_load  %tile               R tile
//     mbarrier_arrive %empty          hazard with R tile: the tile may be overwritten from here on
//     mbarrier_wait %full             no hazard with the arrival, nor with one at %full itself
//
// Among the CTAs of a cluster (HazardScope::Cluster) two accesses are a hazard if one of them reaches the shared memory
// of another CTA: then the CTAs have to wait for each other. So is the start of the kernel with the first such access,
// since the other CTA may not have started, and the initialization of an mbarrier with its first use from another CTA.
// What other CTAs do to mbarriers and by asynchronous accesses after that is the kernel's to keep apart.
//
// An operation with scratch memory writes it, waits for all warps, and reads it (UsesScratch): between the two,
// everything before is settled.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_SHAREDHAZARDS_H
#define HOCKET_ANALYSIS_SHAREDHAZARDS_H

#include "analysis/shared/PendingAccesses.h"
#include "analysis/shared/RingSlots.h"
#include "analysis/shared/SharedAliases.h"

namespace hocket {

/// The threads that hazards are between: those of one CTA, or those of different CTAs of a cluster.
enum class HazardScope { Cta, Cluster };

/// What one operation does to shared memory, as numbers of accesses.
struct SharedEffects {
  llvm::SmallVector<unsigned, 2> accesses;
  /// After `accesses` all warps wait; then come `afterBarrier`.
  bool hasBarrier = false;
  llvm::SmallVector<unsigned, 2> afterBarrier;
};

class SharedHazards {
public:
  /// Memory must have been placed (hk.offset).
  explicit SharedHazards(mlir::Operation *function, HazardScope scope = HazardScope::Cta);

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
  /// What tells when access `number` is done, if it is asynchronous.
  std::optional<hk::AsyncCounter> counterOf(unsigned number) const { return accesses[number].counter; }
  /// Null for an operation that neither accesses shared memory nor waits for the block, nor, where an operation
  /// announces how far the block has come, accesses global memory. Operations with regions such as scf.if have no
  /// effects of their own.
  const SharedEffects *effectsOf(mlir::Operation *op) const;
  /// Is one of the `pending` accesses a hazard with access `number`, which comes after them?
  bool conflicts(unsigned number, const PendingAccesses &pending) const {
    return conflicts(number, hazards[number], pending.beforeIteration()) ||
           conflicts(number, hazardsOfIteration[number], pending.ofIteration());
  }

  /// The last of the `pending` accesses that are; nothing if none is.
  std::optional<unsigned> lastConflict(unsigned number, const PendingAccesses &pending) const;
  /// The operation of access `number`.
  mlir::Operation *opOf(unsigned number) const { return accesses[number].op; }

private:
  struct Access {
    mlir::Operation *op = nullptr;
    llvm::SmallVector<SharedRegion, 1> regions;
    bool writes = false;
    std::optional<hk::AsyncCounter> counter = {};
    bool isRelaxed = false;
    /// hk.ordered: in order with what comes before it.
    bool isOrdered = false;
    /// Accesses the shared memory of another CTA.
    bool isRemote = false;
    /// Uses mbarriers of other CTAs; initializes or invalidates one of the own CTA.
    bool usesOtherMbarriers = false, isMbarrierSetup = false;
    /// Of a SharedBarrierUse, its answers.
    bool isByOneThread = false, isConcurrent = false, precedesWaits = false, announcesAll = false;
    /// Nobody outside of the operation can tell when it is done: of scratch memory.
    bool isInternal = false;
    /// The layout of the registers, if there are any and no two lanes hold the same element.
    mlir::Attribute lanes = {};
    /// The innermost loop around it, and if it accesses one slot of a ring, which of what ring.
    mlir::LoopLikeOpInterface loop;
    mlir::Operation *ring = nullptr;
    std::optional<RingIndex> slot = {};
  };
  void collect(mlir::Operation *op, const SharedAliases &aliases);
  unsigned addAccess(Access access);
  void addHazard(unsigned earlier, unsigned later);
  static bool isHazard(const Access &earlier, const Access &later);
  static bool isHazardInCluster(const Access &earlier, const Access &later);
  static bool mayOverlap(const Access &earlier, const Access &later);
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
  const int numCtas;
  llvm::SmallVector<Access, 0> accesses;
  bool hasAnnouncements = false;
  llvm::DenseMap<mlir::Operation *, SharedEffects> effects;
  /// hazards[i]: the accesses that access i must be kept apart from when it comes after them.
  llvm::SmallVector<llvm::BitVector> hazards;
  /// The same if both are done in one iteration of the innermost loop.
  llvm::SmallVector<llvm::BitVector> hazardsOfIteration;
  /// The accesses that have a counter.
  llvm::BitVector asynchronous;
};

} // namespace hocket

#endif
