//===- MemoryAliases.h - Alias analysis of handles of buffers ---------------------===//
//
// For each value of type !hk.memdesc, the regions of memory that it may refer to: one, followed through views,
// or several where control flow joins:
//
//     %a = hk.local_alloc                               a
//     %b = hk.local_alloc                               b
//     scf.for ... iter_args(%x = %a, %y = %b) {         %x: a, b    %y: b, a
//       %t = hk.memdesc_permute %x [1, 0]               a permuted, b permuted
//       scf.yield %y, %x
//     }
//
// Method: each new region of a handle is propagated to all handles derived from it, to a fixed point. Interfaces
// identify operations that derive handles: views (MemDescView), selections (SelectLikeOpInterface) and regions with
// control flow (RegionBranchOpInterface). An operation with results of that type must implement one of them, or
// allocate memory that only its own dialect accesses and orders (prof.buffer_alloc); requireKnownOrigins checks
// this.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_MEMORYALIASES_H
#define HOCKET_ANALYSIS_MEMORYALIASES_H

#include "analysis/memory/MemoryRegion.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace hocket {

/// A read or a write of a buffer.
struct MemoryUse {
  mlir::Value handle;
  llvm::ArrayRef<MemoryRegion> regions;
  bool writes = false;
  hk::Completion completion = {};
  hk::MemorySpace getSpace() const { return mlir::cast<hk::MemDescType>(handle.getType()).getSpace(); }
};

/// Fails with an error at the first operation in `root` that makes a handle of unknown memory. Must be called before
/// MemoryAliases is built.
mlir::LogicalResult requireKnownOrigins(mlir::Operation *root);

class MemoryAliases {
public:
  explicit MemoryAliases(mlir::Operation *function);

  /// Returns the regions that `handle` may refer to.
  llvm::ArrayRef<MemoryRegion> lookup(mlir::Value handle) const;
  /// Returns the accesses of `op` itself, without those in its regions.
  llvm::SmallVector<MemoryUse, 1> usesOf(mlir::Operation *op) const;
  /// Returns all handles of known regions.
  llvm::ArrayRef<mlir::Value> handles() const { return order; }

private:
  /// Targets of values that a region, or the operation around it, passes on.
  using Flows = mlir::RegionBranchSuccessorMapping;

  void add(mlir::Value handle, const MemoryRegion &region);
  /// Propagates `region`, which is new to `handle`.
  void propagate(mlir::Value handle, const MemoryRegion &region);
  llvm::ArrayRef<mlir::Value> targetsOf(mlir::OpOperand &use);

  llvm::DenseMap<mlir::Value, llvm::SmallVector<MemoryRegion, 1>> regions;
  llvm::SmallVector<mlir::Value> order;
  /// New regions that have not been propagated.
  llvm::SmallVector<std::pair<mlir::Value, MemoryRegion>> gained;
  llvm::DenseMap<mlir::Operation *, Flows> flows;
};

} // namespace hocket

#endif
