//===- ValueParts.h - Flattening of nested values to run-time parts --------------------===//
//
// Loops, branches, parameters and regions carry values. A tuple of tensors is carried as separate tensors, and the
// compile-time parts of a value must be the same on all paths. The functions below convert between a nested value and
// the flat list of its run-time parts; they access nested values only through Value::parts:
//
//     form                            flat
//     (a, "sum", State(b, c))   =>    a, b, c        and back, given the form
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_VALUEPARTS_H
#define HOCKET_FRONTEND_VALUEPARTS_H

#include "frontend/values/Value.h"
#include "mlir/IR/ValueRange.h"
#include "support/CompileError.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hocket::frontend {

/// Returns `value` with each run-time part replaced by the result of `replace`, called from left to right.
Value mapRuntime(const Value &value, llvm::function_ref<Runtime(const Runtime &)> replace);
/// Calls `visit` with each run-time part of `value`, from left to right.
void forEachRuntime(const Value &value, llvm::function_ref<void(const Runtime &)> visit);

/// Appends the SSA values in `value`, left to right.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &flat);
/// Returns `form` with its SSA values replaced by the first values of `flat`, which are removed from `flat`.
Value unflatten(const Value &form, mlir::ValueRange &flat);

/// True if the structures, the compile-time parts and the types of the run-time parts of `a` and `b` are equal,
/// regardless of the SSA values.
bool sameForm(const Value &a, const Value &b);
/// True if the forms and the SSA values of `a` and `b` are equal.
bool identical(const Value &a, const Value &b);
/// Returns notes for an error about two values of different form. Each value gets a note with its label. A third note
/// names the first different part, if the values differ only in parts.
std::vector<Note> describeMismatch(std::string labelA, const Value &a, std::string labelB, const Value &b);

} // namespace hocket::frontend

#endif
