//===- Announcements.h - Which partitions of warps rely on which arrivals --------------------===//
//
// An arrival at a barrier, or an atomic release, passes on what its partition has done. Which other partitions may rely
// on it follows from who waits for the same barrier, over any number of steps:
//
//     launch's warps                 worker "copy"                    worker "store"
//     local_store %x, %tile          mbarrier_wait %full              named_barrier_wait 0
//     mbarrier_arrive %full          named_barrier_arrive 0           tma_store %tile, ...     relies on the arrival
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PROXY_FENCES_ANNOUNCEMENTS_H
#define HOCKET_TRANSFORMS_PROXY_FENCES_ANNOUNCEMENTS_H

#include "analysis/shared/SharedAliases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// The worker whose warps run `op`; null for the warps of the launch.
mlir::Operation *partitionOf(mlir::Operation *op);

class Announcements {
public:
  Announcements(mlir::func::FuncOp function, const SharedAliases &aliases);

  /// True if `op` passes on to other warps that its own warps have come this far.
  static bool announces(mlir::Operation *op);
  /// True if each lane arrives for itself, without a barrier of the partition before.
  static bool isPerWarp(mlir::Operation *op);
  /// True if what `announcement` passes on may reach `access`, in another partition or, with `inOtherBlocks`, in
  /// another block.
  bool mayReach(mlir::Operation *announcement, mlir::Operation *access, bool inOtherBlocks) const;

private:
  bool opens(mlir::Operation *announcement, mlir::Operation *wait) const;

  const SharedAliases &aliases;
  llvm::SmallVector<mlir::Operation *> announcements, waits;
  bool isInCluster;
};

} // namespace hocket

#endif
