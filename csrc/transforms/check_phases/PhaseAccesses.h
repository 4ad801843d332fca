//===- PhaseAccesses.h - Accesses that complete with phases of mbarriers -----------===//
//
// A *start* is an operation whose access of a tile completes with a phase of an mbarrier. An operation *may order* a
// start before later operations of the same warps if it possibly makes these warps wait until the access has completed:
//
//     hk_nv.tma_load ..., %tile, %full       start
//     hk_nv.mbarrier_wait %empty, %p         may order the start: another partition can wait for %full, then arrive
//     hk_nv.mbarrier_wait %full, %p          may order the start
//     hk.local_load %tile                    reads the tile of the start
//
// If only one partition of warps waits for the mbarriers of the start, only these waits order the start in this
// partition. If several partitions wait for the mbarriers of the start, every operation that can synchronize partitions
// may order the start: waits for any mbarrier, named barriers, atomics, and loops that read global memory.
//
// If an AsyncArrival lets copies on a counter of commit groups complete on an mbarrier, these copies are also starts,
// unless an operation waits on the counter.
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
    /// Handles of the mbarriers on which the access can complete.
    llvm::SmallVector<mlir::Value, 1> barriers;
    /// False if a predicate possibly disables the operation, or if the operation writes tiles in other CTAs.
    bool isCertain = true;
  };
  /// Returns all operations of the function that start an access which completes on an mbarrier, in program order.
  llvm::ArrayRef<Start> starts() const { return allStarts; }

  struct Access {
    mlir::Operation *op = nullptr;
    MemoryUse use;
  };
  /// Returns all reads of tiles, synchronous and asynchronous ones, in program order. Accesses of mbarriers are not
  /// included.
  llvm::ArrayRef<Access> reads() const { return allReads; }
  /// Returns the starts that possibly write the memory of `read` before the read; empty if other operations possibly
  /// write this memory.
  llvm::SmallVector<const Start *, 2> onlyWritersOf(const Access &read) const;
  /// True if `read` certainly reads the tile of `start`: in the same iteration of the loops around both operations, and
  /// in the first iteration of all other loops.
  bool certainlyReads(const Access &read, const Start &start) const;
  /// True if accesses of the regions `mine` and `others` can access the same bytes.
  static bool mayOverlap(llvm::ArrayRef<MemoryRegion> mine, llvm::ArrayRef<MemoryRegion> others);
  /// Returns the minimum number of iterations of the innermost loop around `start` after which `start` certainly writes
  /// the same tile again; nullopt if this number is not known.
  std::optional<int64_t> iterationsUntilRefill(const Start &start) const;

  /// True if `op` may wait for a phase of a barrier of `start`.
  bool mayWaitFor(mlir::Operation *op, const Start &start) const;
  /// True if an operation of the function may wait for a phase of a barrier of `start`.
  bool isAwaited(const Start &start) const;
  /// True if `op`, in `partition`, may order `start`, as the file comment defines.
  bool mayOrder(mlir::Operation *op, const Start &start, mlir::Operation *partition) const;
  /// True if `op` possibly makes accesses of other warps complete before later accesses of the warps that execute `op`.
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
  bool isAlone = true; ///< true if each cluster consists of a single CTA
  llvm::SmallVector<Start> allStarts;
  llvm::SmallVector<Access> allReads, allWrites;
  /// Operations that wait for mbarriers, or whose effects are unknown.
  llvm::SmallVector<mlir::Operation *> waits;
  llvm::DenseSet<mlir::Operation *> synchronizing;
};

} // namespace hocket

#endif
