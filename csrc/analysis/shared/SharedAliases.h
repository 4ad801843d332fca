//===- SharedAliases.h - What a memory descriptor may refer to --------------------===//
//
// For each value of type !hk.memdesc, the regions of shared memory it may stand for: one, followed through views, or
// several where control flow merges:
//
//     %a = hk.local_alloc                               a
//     %b = hk.local_alloc                               b
//     scf.for .. iter_args(%x = %a, %y = %b) {          %x: a, b    %y: b, a
//       %t = hk.memdesc_permute %x [1, 0]               a permuted, b permuted
//       scf.yield %y, %x
//     }
//
// Method: each region that a handle gains is handed on to all that is made of the handle, until none gains any more.
// Which operations make a handle of another, their interfaces say: views (MemDescView), choices (SelectLikeOpInterface)
// and regions with control flow (RegionBranchOpInterface). An operation with results of that type needs one of them, or
// allocates memory that only its own dialect accesses, and orders (prof.buffer_alloc); requireKnownOrigins asks for
// that.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_SHAREDALIASES_H
#define HOCKET_ANALYSIS_SHAREDALIASES_H

#include "analysis/shared/SharedRegion.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace hocket {

/// A read or a write of shared memory.
struct SharedUse {
  mlir::Value handle;
  llvm::ArrayRef<SharedRegion> regions;
  bool writes = false;
  /// Of an asynchronous access: what tells when it is done. None if it is with the operation.
  std::optional<hk::AsyncCounter> counter = {};
};

/// Fails with an error at the first operation in `root` that makes a handle without saying which memory it refers to.
/// What builds SharedAliases of functions asks this first.
mlir::LogicalResult requireKnownOrigins(mlir::Operation *root);

class SharedAliases {
public:
  explicit SharedAliases(mlir::Operation *function);

  /// The regions that `handle` may refer to.
  llvm::ArrayRef<SharedRegion> lookup(mlir::Value handle) const;
  /// What `op` itself does to shared memory, without what stands in its regions.
  llvm::SmallVector<SharedUse, 1> usesOf(mlir::Operation *op) const;
  /// All values that refer to shared memory.
  llvm::ArrayRef<mlir::Value> handles() const { return order; }

private:
  /// Where a value that a region, or the operation around it, hands on arrives.
  using Flows = mlir::RegionBranchSuccessorMapping;

  void add(mlir::Value handle, const SharedRegion &region);
  /// Hands on `region`, which `handle` has gained.
  void propagate(mlir::Value handle, const SharedRegion &region);
  llvm::ArrayRef<mlir::Value> targetsOf(mlir::OpOperand &use);

  llvm::DenseMap<mlir::Value, llvm::SmallVector<SharedRegion, 1>> regions;
  llvm::SmallVector<mlir::Value> order;
  /// What was gained and has not been handed on.
  llvm::SmallVector<std::pair<mlir::Value, SharedRegion>> gained;
  llvm::DenseMap<mlir::Operation *, Flows> flows;
};

} // namespace hocket

#endif
