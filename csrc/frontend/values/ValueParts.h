//===- ValueParts.h - Nested values as a list of run-time parts, and back --------------===//
//
// Loops, branches, parameters and regions carry values: a tuple of tensors travels as its tensors, and what is known at
// compile time must be the same on every way. All of them go through these functions, which see of a nested value
// nothing but Value::parts:
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

/// `value` with each of its run-time parts replaced, left to right.
Value mapRuntime(const Value &value, llvm::function_ref<Runtime(const Runtime &)> replace);
/// Calls `visit` with each run-time part, left to right.
void forEachRuntime(const Value &value, llvm::function_ref<void(const Runtime &)> visit);

/// Appends the SSA values in `value`, left to right.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &flat);
/// `form` with its SSA values replaced by the first of `flat`, which are removed from it.
Value unflatten(const Value &form, mlir::ValueRange &flat);

/// Equal types of run-time parts, equal compile-time parts, equal structure. SSA values do not matter.
bool sameForm(const Value &a, const Value &b);
/// Equal form and the same SSA values.
bool identical(const Value &a, const Value &b);
/// Two values of different form, for an error: each described under its label, and which part of them differs where
/// they are structures of one kind.
std::vector<Note> describeMismatch(std::string labelA, const Value &a, std::string labelB, const Value &b);

} // namespace hocket::frontend

#endif
