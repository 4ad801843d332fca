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

inline bool isPermutationOf(llvm::ArrayRef<int32_t> order, size_t rank) {
  llvm::SmallVector<int32_t> sorted = llvm::to_vector(order);
  llvm::sort(sorted);
  return sorted.size() == rank && llvm::equal(sorted, llvm::seq<int32_t>(0, rank));
}

/// values[order[0]], values[order[1]], ..
inline llvm::SmallVector<int64_t> permuted(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int32_t> order) {
  return llvm::map_to_vector(order, [&](int32_t dim) { return values[dim]; });
}

} // namespace hocket::hk

#endif
