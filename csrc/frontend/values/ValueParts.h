//===- ValueParts.h - Flattening of nested values to run-time parts --------------------===//
//
// A value of a kernel can be nested, but a loop or a branch of the IR carries only SSA values. A tuple of tensors is
// therefore carried as separate tensors. The *form* of a value is its structure, its compile-time parts, and the types
// of its run-time parts. The form must be the same on all paths. The functions below convert a nested value to the flat
// list of its run-time parts, and convert such a list and a form back to a nested value:
//
//     nested value                    flat list
//     (a, "sum", State(b, c))   <=>   a, b, c
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_VALUEPARTS_H
#define HOCKET_FRONTEND_VALUEPARTS_H

#include "frontend/values/Value.h"
#include "mlir/IR/ValueRange.h"
#include "support/CompileError.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hocket::frontend {

/// Returns a copy of `value` in which `replace` has replaced each run-time part, from left to right.
Value mapRuntime(const Value &value, llvm::function_ref<Runtime(const Runtime &)> replace);
/// Calls `visit` with each run-time part of `value`, from left to right.
void forEachRuntime(const Value &value, llvm::function_ref<void(const Runtime &)> visit);

/// Appends the SSA values of the run-time parts of `value` to `flat`, from left to right.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &flat);
/// Returns `form` with its SSA values replaced by the first values of `flat`. Removes these values from `flat`.
Value unflatten(const Value &form, mlir::ValueRange &flat);

/// True if `a` and `b` have the same form: equal structure, equal compile-time parts, and run-time parts of equal
/// types. The SSA values are not compared.
bool sameForm(const Value &a, const Value &b);
/// True if `a` and `b` have the same form and the same SSA values.
bool identical(const Value &a, const Value &b);
/// Returns notes for an error about two values that have different forms. Two notes describe the values, with the
/// labels `labelA` and `labelB`. If the values differ only in a part, a third note contains the path to the first
/// different part.
std::vector<Note> describeMismatch(std::string labelA, const Value &a, std::string labelB, const Value &b);

} // namespace hocket::frontend

#endif
