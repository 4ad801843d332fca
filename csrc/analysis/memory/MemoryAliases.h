//===- MemoryAliases.h - Alias analysis of handles of buffers ---------------------===//
//
// Computes the regions of memory to which each value of type !hk.memdesc may refer: one region, traced through views,
// or several regions after control flow has joined:
//
//     %a = hk.local_alloc                               a
//     %b = hk.local_alloc                               b
//     scf.for ... iter_args(%x = %a, %y = %b) {         %x: a, b    %y: b, a
//       %t = hk.memdesc_permute %x [1, 0]               a permuted, b permuted
//       scf.yield %y, %x
//     }
//
// Method: each new region of a handle is propagated to all handles that are derived from this handle, to a fixed point.
// Interfaces identify operations that derive handles: views (MemDescView), selections (SelectLikeOpInterface) and
// regions with control flow (RegionBranchOpInterface). An operation that returns handles must implement one of these
// interfaces, or allocate memory that only its own dialect accesses (prof.buffer_alloc); requireKnownOrigins checks
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

/// Emits an error at the first operation in `root` that returns a handle whose memory is unknown. This function must be
/// called before a MemoryAliases object is constructed.
mlir::LogicalResult requireKnownOrigins(mlir::Operation *root);

class MemoryAliases {
public:
  explicit MemoryAliases(mlir::Operation *function);

  /// Returns the regions that `handle` may refer to.
  llvm::ArrayRef<MemoryRegion> lookup(mlir::Value handle) const;
  /// Returns the accesses of `op` itself, without the accesses in its regions.
  llvm::SmallVector<MemoryUse, 1> usesOf(mlir::Operation *op) const;
  /// Returns all handles whose regions are known.
  llvm::ArrayRef<mlir::Value> handles() const { return order; }

private:
  /// Maps each operand of an operation with regions to the values to which control flow passes the operand (see
  /// targetsOf).
  using Flows = mlir::RegionBranchSuccessorMapping;

  void add(mlir::Value handle, const MemoryRegion &region);
  /// Propagates `region`, which has been added to the regions of `handle`, to the handles that are derived from
  /// `handle`.
  void propagate(mlir::Value handle, const MemoryRegion &region);
  llvm::ArrayRef<mlir::Value> targetsOf(mlir::OpOperand &use);

  llvm::DenseMap<mlir::Value, llvm::SmallVector<MemoryRegion, 1>> regions;
  llvm::SmallVector<mlir::Value> order;
  /// Regions that have been added to handles and still have to be propagated.
  llvm::SmallVector<std::pair<mlir::Value, MemoryRegion>> gained;
  llvm::DenseMap<mlir::Operation *, Flows> flows;
};

} // namespace hocket

#endif
