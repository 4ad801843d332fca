//===- MemoryHazards.h - Hazards between accesses of buffers ----------------------===//
//
// Two accesses are a *hazard* if at least one of them writes, and different lanes may access the same bytes with the
// two accesses. All warps must then wait for each other between the two accesses.
//
//     local_store x, %a      W a
//     local_load  %a         R a     hazard with W a    (read after write)
//     local_load  %a         R a     no hazard: both read
//     local_store y, %b      W b     hazard with R a only if b reuses the memory of a   (write after read)
//
// An asynchronous access has the same hazards with earlier accesses as a synchronous access, because a barrier must
// order the earlier accesses before the start of the asynchronous access. An asynchronous access may complete after the
// operation that starts it; PendingAccesses.h describes the completion.
//
// A `relaxed` load has no hazard with earlier stores, because the user orders the load after the stores. A `relaxed`
// load has hazards with later writes. A `relaxed` load also has hazards with earlier asynchronous writes, because a
// wait covers only accesses of the waiting warp.
//
// Two accesses of the same view are not a hazard if the tensors in registers have the same layout and only one lane
// holds each element. Each lane then accesses only its own elements, in program order.
//
// An operation with `hk.ordered` has no hazard with earlier accesses, because WarpPipelineLowering has ordered the
// operation after these accesses. An operation with `hk.ordered` may have hazards with later accesses.
//
// Accesses of slots of a ring buffer whose indices certainly differ in an iteration (RingSlots.h) have no hazard in
// that iteration:
//
//     for k {
//       local_load  %ring[k % 2]          R     no hazard with this iteration's store; hazard with the previous store
//       local_store x, %ring[(k + 1) % 2] W
//     }
//
// Several threads may use a barrier in shared memory (SharedBarrierUse) at the same time. Therefore uses of a barrier
// have hazards with the barrier's initialization, but not with each other. A use that signals the progress of the block
// must follow all accesses and waits of all threads of the block, in every memory space.
//
//     local_load  %tile               R tile
//     mbarrier_arrive %empty          hazard with R tile: the tile may be overwritten from here on
//     mbarrier_wait %full             no hazard with an arrival at %empty or at %full
//
// Between the CTAs of a cluster (HazardScope::Cluster), two accesses are a hazard if one of them accesses the shared
// memory of another CTA: the CTAs must then wait for each other. The CTAs must also wait for each other between the
// start of the kernel and the first access of another CTA's shared memory, because the other CTA may not have started
// yet. The initialization of an mbarrier is a hazard with the first use of the mbarrier by another CTA. The user is
// responsible for later uses of mbarriers by other CTAs, and for asynchronous accesses.
//
// Each memory space (MemorySpaces.h) has its own hazards and its own barriers. Signals must follow the accesses of
// every memory space.
//
// An operation with scratch memory writes the scratch memory, executes a barrier, and reads the scratch memory
// (UsesScratch). The barrier also orders all accesses before the operation.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_MEMORYHAZARDS_H
#define HOCKET_ANALYSIS_MEMORYHAZARDS_H

#include "analysis/memory/MemoryAliases.h"
#include "analysis/memory/PendingAccesses.h"
#include "analysis/memory/RingSlots.h"

namespace hocket {

/// Selects the hazards that are found: between threads of one CTA, or between different CTAs of a cluster.
enum class HazardScope { Cta, Cluster };

/// The accesses of one operation, as indices into MemoryHazards::accesses.
struct NumberedAccesses {
  llvm::SmallVector<unsigned, 2> accesses;
  /// True if the operation executes a barrier after `accesses` and before `afterBarrier`.
  bool hasBarrier = false;
  llvm::SmallVector<unsigned, 2> afterBarrier;
};

class MemoryHazards {
public:
  /// Finds the hazards between accesses of shared memory, which must have been allocated.
  explicit MemoryHazards(mlir::Operation *function, HazardScope scope = HazardScope::Cta);
  /// Returns the hazards between accesses of `space` by one CTA.
  static MemoryHazards inSpace(mlir::Operation *function, hk::MemorySpace space) {
    return MemoryHazards(function, HazardScope::Cta, space);
  }

  unsigned numAccesses() const { return accesses.size(); }
  /// True if the function has an access of the shared memory, or of an mbarrier, of another CTA.
  bool reachOtherCtas() const {
    return llvm::any_of(accesses, [](const Access &access) { return access.isRemote || access.usesOtherMbarriers; });
  }
  /// True if the function has an access that writes the shared memory of another CTA.
  bool storeToOtherCtas() const {
    return llvm::any_of(accesses, [](const Access &access) { return access.isRemote && access.writes; });
  }
  /// Number of the access that represents the start of the kernel in cluster scope. The operation of this access is the
  /// function.
  static constexpr unsigned kStart = 0;
  /// True if access `number` reaches the shared memory of another CTA.
  bool isRemote(unsigned number) const { return accesses[number].isRemote; }
  const hk::Completion &completionOf(unsigned number) const { return accesses[number].completion; }
  /// Returns the accesses of `op`; null if `op` has no accesses and is not a barrier. Accesses of global memory count
  /// only if the function signals the progress of the block. Operations nested in regions of `op` do not count.
  const NumberedAccesses *effectsOf(mlir::Operation *op) const;
  /// True if one of the `pending` accesses is a hazard with the later access `number`.
  bool conflicts(unsigned number, const PendingAccesses &pending) const {
    return conflicts(number, hazards[number], pending.beforeIteration()) ||
           conflicts(number, hazardsOfIteration[number], pending.ofIteration());
  }

  /// Returns the last of the `pending` accesses that is a hazard with the later access `number`; nullopt if none is.
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
    /// True if the operation has hk.ordered, and therefore needs no barrier after earlier accesses.
    bool isOrdered = false;
    /// True if the access reaches the shared memory of another CTA.
    bool isRemote = false;
    /// `usesOtherMbarriers`: the operation uses mbarriers of other CTAs. `isMbarrierSetup`: the operation initializes
    /// or invalidates an mbarrier of its own CTA.
    bool usesOtherMbarriers = false, isMbarrierSetup = false;
    /// The properties of the SharedBarrierUse; false unless the access is of a barrier in shared memory.
    bool isByOneThread = false, isConcurrent = false, precedesWaits = false, signalsAll = false;
    /// True for an access of scratch memory, or of a barrier in another memory space. A later signal through a barrier
    /// need not follow such an access.
    bool isInternal = false;
    /// The layout of the tensor in registers that is loaded or stored; null if there is no such tensor, or if two lanes
    /// may hold the same element.
    mlir::Attribute lanes = {};
    /// The innermost loop around the access. The ring buffer and the slot are set if the access is of one slot of a
    /// ring buffer.
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
  void collectSignal(hk::SharedBarrierUse barrier);
  bool isBarrier(mlir::Operation *op) const;
  void collectScratch(mlir::Operation *op, int64_t bytes);
  static bool mustPrecede(const Access &earlier, const Access &signal);
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
  bool hasSignals = false;
  llvm::DenseMap<mlir::Operation *, NumberedAccesses> effects;
  /// hazards[i] contains the accesses that are a hazard with a later execution of access i.
  llvm::SmallVector<llvm::BitVector> hazards;
  /// hazardsOfIteration[i] contains the accesses that are a hazard with a later execution of access i in the same
  /// iteration of the innermost loop.
  llvm::SmallVector<llvm::BitVector> hazardsOfIteration;
  /// asynchronous[i] is true if access i is asynchronous.
  llvm::BitVector asynchronous;
};

} // namespace hocket

#endif
