//===- Announcements.h - Determines the arrivals that partitions of warps rely on ------------===//
//
// An arrival at a barrier, or an atomic release, passes on the stores of its partition. The partitions that wait for
// the same barrier may rely on it, and so may partitions that wait for their later arrivals, over any number of steps:
//
//     default partition              worker "copy"                    worker "store"
//     local_store %x, %tile          mbarrier_wait %full              named_barrier_wait 0
//     mbarrier_arrive %full          named_barrier_arrive 0           tma_store %tile, ...     relies on the arrival
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PROXY_FENCES_ANNOUNCEMENTS_H
#define HOCKET_TRANSFORMS_PROXY_FENCES_ANNOUNCEMENTS_H

#include "analysis/memory/MemoryAliases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Returns the worker whose warps run `op`; null for the default partition.
mlir::Operation *partitionOf(mlir::Operation *op);

class Announcements {
public:
  Announcements(mlir::func::FuncOp function, const MemoryAliases &aliases);

  /// True if `op` announces to other warps that its own warps have executed all earlier operations.
  static bool announces(mlir::Operation *op);
  /// True if each lane arrives on its own, without a barrier of the partition before.
  static bool isPerWarp(mlir::Operation *op);
  /// True if the stores that `announcement` passes on may be visible to `access`, in another partition or, with
  /// `inOtherBlocks`, in another block.
  bool mayReach(mlir::Operation *announcement, mlir::Operation *access, bool inOtherBlocks) const;

private:
  bool opens(mlir::Operation *announcement, mlir::Operation *wait) const;

  const MemoryAliases &aliases;
  llvm::SmallVector<mlir::Operation *> announcements, waits;
  bool isInCluster;
};

} // namespace hocket

#endif
