//===- ValueParts.h - The run-time parts of nested values ------------------------------===//
//
// Loops and branches carry values: a tuple of tensors is carried as its tensors, and what is known at compile time
// must be the same on every way.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_VALUEPARTS_H
#define HOCKET_FRONTEND_VALUEPARTS_H

#include "frontend/values/Value.h"
#include "mlir/IR/ValueRange.h"

namespace hocket::frontend {

/// Appends the SSA values in `value`, left to right.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &flat);
/// `model` with its SSA values replaced by the first of `flat`, which are removed from it.
Value unflatten(const Value &model, mlir::ValueRange &flat);
/// Equal types of run-time parts, equal compile-time parts, equal tuple structure.
bool sameForm(const Value &a, const Value &b);
/// Equal form and the same SSA values.
bool identical(const Value &a, const Value &b);

} // namespace hocket::frontend

#endif
