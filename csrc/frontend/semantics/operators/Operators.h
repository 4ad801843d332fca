//===- Operators.h - Operators of run-time values -----------------------------===//
//
// At least one operand is Runtime: what is wholly known at compile time was computed by the caller.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_OPERATORS_H
#define HOCKET_FRONTEND_SEMANTICS_OPERATORS_H

#include "frontend/emit/Emitter.h"
#include "frontend/values/Operator.h"

namespace hocket::frontend {

Value binaryOp(Emitter &e, BinaryOperator op, const Value &left, const Value &right);
Value unaryOp(Emitter &e, UnaryOperator op, const Value &operand);
/// Ordering and equality; identity and membership are decided by the caller.
Value compare(Emitter &e, CompareOperator op, const Value &left, const Value &right);
/// `and` / `or` of two values of which one is known at run time only.
Value logicalOp(Emitter &e, bool isAnd, const Value &left, const Value &right);

/// One item of `x[...]`: None, a full slice, or a value.
struct SubscriptItem {
  enum Kind { None, FullSlice, PartialSlice, Index } kind;
  Value value; ///< Index only
  SourceRange where;
};
Value subscript(Emitter &e, const Value &base, llvm::ArrayRef<SubscriptItem> items);

/// Converts elements; a scalar stays a scalar.
Runtime castTo(Emitter &e, const Runtime &value, DType type);
/// A run-time scalar condition as i1 (numbers compare with zero). Tensors are an error that names `what`.
Runtime toCondition(Emitter &e, const Value &value, std::string_view what);

/// The element types that integer operands of `range` promote to.
DType promoteIntegers(DType left, DType right);

/// As messages show a layout: "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])".
std::string describeLayout(mlir::Attribute layout);

} // namespace hocket::frontend

#endif
