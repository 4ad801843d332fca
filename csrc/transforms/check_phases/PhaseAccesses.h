//===- PhaseAccesses.h - Accesses that complete with phases of mbarriers -----------===//
//
// A *start* is an operation whose access of a tile completes with a phase of an mbarrier. An operation *may order* a
// start before later operations of the same warps if these warps may learn there that the access is complete:
//
//     hk_nv.tma_load ..., %tile, %full       start
//     hk_nv.mbarrier_wait %empty, %p         may order it if another partition may wait for %full and arrive at %empty
//     hk_nv.mbarrier_wait %full, %p          may order it
//     hk.local_load %tile                    reads the tile of the start
//
// If only one partition of warps waits for the mbarriers of the start, nothing else orders the start there. Otherwise
// whatever may synchronize partitions (waits for any mbarrier, named barriers, atomics, loops that read global memory)
// may order it.
//
// Copies on a counter are starts if nothing waits on the counter and they are handed over to mbarriers (AsyncArrival).
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
    /// Handles of the mbarriers with which it may complete.
    llvm::SmallVector<mlir::Value, 1> barriers;
    /// False if a predicate decides whether the operation does anything, or if it writes the tiles of other CTAs.
    bool isCertain = true;
  };
  /// The starts of copies, in program order. All other lists are in program order, too.
  llvm::ArrayRef<Start> starts() const { return allStarts; }

  struct Access {
    mlir::Operation *op = nullptr;
    MemoryUse use;
  };
  /// Reads of tiles, synchronous and asynchronous ones. Uses of mbarriers are not among them.
  llvm::ArrayRef<Access> reads() const { return allReads; }
  /// Returns the starts that alone write the memory that `read` may read, before it; empty if another operation does.
  llvm::SmallVector<const Start *, 2> onlyWritersOf(const Access &read) const;
  /// True if `read` certainly reads the tile of `start`, if it is executed in the same iterations of the loops around
  /// both and in the first iteration of all others.
  bool certainlyReads(const Access &read, const Start &start) const;
  /// True if `read` and `start` may access the same bytes.
  static bool mayOverlap(llvm::ArrayRef<MemoryRegion> mine, llvm::ArrayRef<MemoryRegion> others);
  /// The least number of iterations after which `start` certainly writes the same tile again, if nothing else changes
  /// than the innermost loop around it; nullopt if that is not known.
  std::optional<int64_t> iterationsUntilRefill(const Start &start) const;

  /// True if `op` may wait for a phase of a barrier of `start`.
  bool mayWaitFor(mlir::Operation *op, const Start &start) const;
  /// True if an operation of the function may.
  bool isAwaited(const Start &start) const;
  /// True if `op`, in the partition of `partition`, may order `start`.
  bool mayOrder(mlir::Operation *op, const Start &start, mlir::Operation *partition) const;
  /// True if the warps that execute `op` may learn there of accesses of other warps.
  bool maySynchronize(mlir::Operation *op) const { return synchronizing.contains(op); }
  /// True if no operation of the function may wait for a phase of the mbarrier `barrier`.
  bool isNeverAwaited(mlir::Value barrier) const;

  /// The partition of the warps that execute `op`: hk.worker; null for the warps of the launch.
  static mlir::Operation *partitionOf(mlir::Operation *op) { return op->getParentOfType<hk::WorkerOp>(); }
  const MemoryAliases &getAliases() const { return aliases; }

private:
  void collect(mlir::Operation *op);
  void collectHandedOver(mlir::func::FuncOp function);
  bool mayWaitAt(mlir::Operation *wait, mlir::Value barrier) const;

  MemoryAliases aliases;
  SlotReleases releases;
  bool isAlone = true; ///< no cluster
  llvm::SmallVector<Start> allStarts;
  llvm::SmallVector<Access> allReads, allWrites;
  /// Operations that wait for mbarriers, or may do anything.
  llvm::SmallVector<mlir::Operation *> waits;
  llvm::DenseSet<mlir::Operation *> synchronizing;
};

} // namespace hocket

#endif
