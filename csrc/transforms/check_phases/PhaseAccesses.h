//===- PhaseAccesses.h - Accesses that complete with phases of mbarriers -----------===//
//
// A *start* is an operation whose access of a tile completes with a phase of an mbarrier. An operation *may order* a
// start before later operations of the same warps if these warps may wait, at this operation, for the completion of the
// access:
//
//     hk_nv.tma_load ..., %tile, %full       start
//     hk_nv.mbarrier_wait %empty, %p         may order it if another partition may wait for %full and arrive at %empty
//     hk_nv.mbarrier_wait %full, %p          may order it
//     hk.local_load %tile                    reads the tile of the start
//
// If only one partition of warps waits for the mbarriers of the start, only these waits order the start in this
// partition. Otherwise, every operation that may synchronize partitions may order it: waits for any mbarrier, named
// barriers, atomics, and loops that read global memory.
//
// A copy on a counter is a start if no operation waits on the counter, and if an AsyncArrival makes it complete on an
// mbarrier.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_CHECK_PHASES_PHASEACCESSES_H
#define HOCKET_TRANSFORMS_CHECK_PHASES_PHASEACCESSES_H

#include "analysis/async/SlotReleases.h"
#include "analysis/memory/MemoryAliases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

class PhaseAccesses {
public:
  explicit PhaseAccesses(mlir::func::FuncOp function);

  struct Start {
    mlir::Operation *op = nullptr;
    /// The handle of the tile that the access writes.
    mlir::Value tile;
    llvm::SmallVector<MemoryRegion, 1> regions;
    /// Handles of the mbarriers on which the access may complete.
    llvm::SmallVector<mlir::Value, 1> barriers;
    /// False if a predicate may disable the operation, or if it writes tiles in other CTAs.
    bool isCertain = true;
  };
  /// Returns all starts in program order.
  llvm::ArrayRef<Start> starts() const { return allStarts; }

  struct Access {
    mlir::Operation *op = nullptr;
    MemoryUse use;
  };
  /// Returns all reads of tiles, synchronous and asynchronous ones, in program order. Uses of mbarriers are not among
  /// them.
  llvm::ArrayRef<Access> reads() const { return allReads; }
  /// Returns the starts that may write the memory of `read` before it; empty if any other operation may write it.
  llvm::SmallVector<const Start *, 2> onlyWritersOf(const Access &read) const;
  /// True if `read` certainly reads the tile of `start` when it is executed in the same iteration of the loops around
  /// both, and in the first iteration of all other loops.
  bool certainlyReads(const Access &read, const Start &start) const;
  /// True if `read` and `start` may access the same bytes.
  static bool mayOverlap(llvm::ArrayRef<MemoryRegion> mine, llvm::ArrayRef<MemoryRegion> others);
  /// Returns the minimum number of iterations of the innermost loop around `start` after which it certainly writes the
  /// same tile again; nullopt if that is not known.
  std::optional<int64_t> iterationsUntilRefill(const Start &start) const;

  /// True if `op` may wait for a phase of a barrier of `start`.
  bool mayWaitFor(mlir::Operation *op, const Start &start) const;
  /// True if an operation of the function may wait for a phase of a barrier of `start`.
  bool isAwaited(const Start &start) const;
  /// True if `op`, in `partition`, may order `start`.
  bool mayOrder(mlir::Operation *op, const Start &start, mlir::Operation *partition) const;
  /// True if `op` may order accesses of other warps before later accesses of the warps that execute it.
  bool maySynchronize(mlir::Operation *op) const { return synchronizing.contains(op); }
  /// True if no operation of the function may wait for a phase of the mbarrier `barrier`.
  bool isNeverAwaited(mlir::Value barrier) const;

  /// Returns the hk.worker whose warps execute `op`; null for the default partition.
  static mlir::Operation *partitionOf(mlir::Operation *op) { return op->getParentOfType<hk::WorkerOp>(); }
  const MemoryAliases &getAliases() const { return aliases; }

private:
  void collect(mlir::Operation *op);
  void collectHandedOver(mlir::func::FuncOp function);
  bool mayWaitAt(mlir::Operation *wait, mlir::Value barrier) const;

  MemoryAliases aliases;
  SlotReleases releases;
  bool isAlone = true; ///< true if a cluster has one CTA
  llvm::SmallVector<Start> allStarts;
  llvm::SmallVector<Access> allReads, allWrites;
  /// Operations that wait for mbarriers, or whose effects are unknown.
  llvm::SmallVector<mlir::Operation *> waits;
  llvm::DenseSet<mlir::Operation *> synchronizing;
};

} // namespace hocket

#endif
