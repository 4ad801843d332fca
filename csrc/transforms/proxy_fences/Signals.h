//===- Signals.h - Determines which partitions may rely on a signal --------------------===//
//
// A *signal* is an arrival at a barrier or an atomic release. Partitions that wait for a signal can rely on earlier
// stores of the signaling partition. Waiting is transitive: if the waiting partitions signal later, partitions that
// wait for the later signal can also rely on these stores:
//
//     default partition              worker "copy"                    worker "store"
//     local_store %x, %tile          mbarrier_wait %full              named_barrier_wait 0
//     mbarrier_arrive %full          named_barrier_arrive 0           tma_store %tile, ...     relies on local_store
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PROXY_FENCES_SIGNALS_H
#define HOCKET_TRANSFORMS_PROXY_FENCES_SIGNALS_H

#include "analysis/memory/MemoryAliases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Returns the worker whose warps run `op`; null for the default partition.
mlir::Operation *partitionOf(mlir::Operation *op);

class Signals {
public:
  Signals(mlir::func::FuncOp function, const MemoryAliases &aliases);

  /// True if `op` is a signal.
  static bool isSignal(mlir::Operation *op);
  /// True if each lane or warp signals only for its own stores at `op`, because no barrier of the partition precedes
  /// the signal.
  static bool isPerWarp(mlir::Operation *op);
  /// True if `access` can rely on stores before `signal`. `access` is in another partition or, if `inOtherBlocks`,
  /// possibly in another block.
  bool mayReach(mlir::Operation *signal, mlir::Operation *access, bool inOtherBlocks) const;

private:
  bool opens(mlir::Operation *signal, mlir::Operation *wait) const;

  const MemoryAliases &aliases;
  llvm::SmallVector<mlir::Operation *> signals, waits;
  bool isInCluster;
};

} // namespace hocket

#endif
