//===- TypeChecks.h - Comparisons that the verifiers of several operations make ---===//
#ifndef HOCKET_DIALECT_HK_TYPECHECKS_H
#define HOCKET_DIALECT_HK_TYPECHECKS_H

#include "dialect/hk/HkDialect.h"
#include "mlir/IR/TypeUtilities.h"

namespace hocket::hk {

/// Both scalars, or tensors of one shape and layout. Element types may differ.
inline bool haveSameShapeAndLayout(mlir::Type a, mlir::Type b) {
  auto left = mlir::dyn_cast<mlir::RankedTensorType>(a), right = mlir::dyn_cast<mlir::RankedTensorType>(b);
  if (!left || !right)
    return !left && !right;
  return left.getShape() == right.getShape() && left.getEncoding() == right.getEncoding();
}

/// The type of what `pointers` (a pointer, or a tensor of them) point to, in their shape and layout.
inline mlir::Type getPointeeType(mlir::Type pointers) {
  auto pointer = mlir::cast<PointerType>(mlir::getElementTypeOrSelf(pointers));
  return withElementType(pointers, pointer.getPointee());
}

/// C1 to C3 of asynchronous copies into shared memory; `source` is the type of what is copied.
mlir::LogicalResult verifyCopyToShared(mlir::Operation *op, mlir::RankedTensorType source, mlir::Value dst,
                                       mlir::Value mask, mlir::Value other);

/// Elements of type `value` can be combined with memory atomically by `kind`.
mlir::LogicalResult verifyAtomicElements(mlir::Operation *op, AtomicOp kind, mlir::Type value);

/// Whether all that `op` does, apart from what its regions do, is to compute values, to send messages, or what only the
/// user knows: it may be in an ElementRegion.
bool computesValues(mlir::Operation *op);

/// What is in the regions of `op`, an ElementRegion, does what the interface says.
mlir::LogicalResult verifyElementRegion(mlir::Operation *op);

} // namespace hocket::hk

#endif
