//===- TypeChecks.h - Common type comparisons of verifiers ------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_TYPECHECKS_H
#define HOCKET_DIALECT_HK_FACTS_TYPECHECKS_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/IR/TypeUtilities.h"

namespace hocket::hk {

/// True if both types are scalars, or tensors with the same shape and layout. Element types may differ.
inline bool haveSameShapeAndLayout(mlir::Type a, mlir::Type b) {
  auto left = mlir::dyn_cast<mlir::RankedTensorType>(a), right = mlir::dyn_cast<mlir::RankedTensorType>(b);
  if (!left || !right)
    return !left && !right;
  return left.getShape() == right.getShape() && left.getEncoding() == right.getEncoding();
}

/// Returns the pointee type of `pointers`. For a tensor of pointers, returns a tensor of the pointee type with the same
/// shape and layout.
inline mlir::Type getPointeeType(mlir::Type pointers) {
  auto pointer = mlir::cast<PointerType>(mlir::getElementTypeOrSelf(pointers));
  return withElementType(pointers, pointer.getPointee());
}

/// Verifies constraints C1 to C3 of asynchronous copies into shared memory (AsyncOps.td); `source` is the type of the
/// copied elements.
mlir::LogicalResult verifyCopyToShared(mlir::Operation *op, mlir::RankedTensorType source, mlir::Value dst,
                                       mlir::Value mask, mlir::Value other);

/// Verifies that elements of type `value` can be combined with memory atomically by `kind`.
mlir::LogicalResult verifyAtomicElements(mlir::Operation *op, AtomicOp kind, mlir::Type value);

/// True if `op` may be in an ElementRegion: `op` only computes values, prints or asserts, or is inline assembly. Does
/// not check the regions of `op`.
bool computesValues(mlir::Operation *op);

/// Verifies that the operations in the regions of `op`, an ElementRegion, obey the rules of the interface.
mlir::LogicalResult verifyElementRegion(mlir::Operation *op);

} // namespace hocket::hk

#endif
