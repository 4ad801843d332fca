//===- ShapeSemantics.h - Shapes of tensors, and views that change them --------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_SHAPESEMANTICS_H
#define HOCKET_FRONTEND_SEMANTICS_SHAPESEMANTICS_H

#include "frontend/semantics/Builtins.h"
#include "layout/Limits.h"

namespace hocket::frontend {

/// True if a tile of `shape` has more than kMaxTensorElements elements; the product of the sizes may exceed 64 bits.
/// All sizes must be positive.
bool isTooLarge(llvm::ArrayRef<int64_t> shape);
/// Raises an error unless every size is a power of two and the tensor has at most kMaxTensorRank dimensions and
/// kMaxTensorElements elements.
void checkTensorShape(Emitter &e, SourceRange where, llvm::ArrayRef<int64_t> shape);
/// Returns argument `parameter`, a list of compile-time integers, as the shape of a tensor.
std::vector<int64_t> tensorShapeAt(Emitter &e, const Arguments &args, ParameterName parameter);

/// Inserts a dimension of size 1 at `axis`; a negative `axis` counts from the end.
Runtime expandDims(Emitter &e, const Runtime &value, int64_t axis);
Runtime permute(Emitter &e, const Runtime &value, llvm::ArrayRef<int64_t> order);
Runtime reshape(Emitter &e, const Runtime &value, llvm::ArrayRef<int64_t> shape);
/// Returns the tensor with its dimensions in reverse order: `x.T`.
Runtime transpose(Emitter &e, const Runtime &value);

/// Returns `axis` in the range 0..rank-1; negative axes count from the end.
int64_t normalizeAxis(Emitter &e, SourceRange where, int64_t axis, int64_t rank);

} // namespace hocket::frontend

#endif
