//===- Operators.h - Operators of run-time values -----------------------------===//
//
// At least one operand must be a run-time value; the caller evaluates operators of compile-time values only.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_OPERATORS_H
#define HOCKET_FRONTEND_SEMANTICS_OPERATORS_H

#include "frontend/semantics/Emitter.h"
#include "frontend/values/Operator.h"

namespace hocket::frontend {

Value binaryOp(Emitter &e, BinaryOperator op, const Value &left, const Value &right);
Value unaryOp(Emitter &e, UnaryOperator op, const Value &operand);
/// Evaluates `and` or `or` of two values, at least one of which is a run-time value.
Value logicalOp(Emitter &e, bool isAnd, const Value &left, const Value &right);

} // namespace hocket::frontend

#endif
