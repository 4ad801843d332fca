//===- Arithmetic.h - Arithmetic operators and functions -----------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_ARITHMETIC_H
#define HOCKET_FRONTEND_SEMANTICS_ARITHMETIC_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Adds numbers, adds an integer to a pointer, or concatenates tuples.
Value addValues(Emitter &e, const Value &left, const Value &right);
/// Subtracts numbers, or an integer from a pointer.
Value subtractValues(Emitter &e, const Value &left, const Value &right);
Value multiplyValues(Emitter &e, const Value &left, const Value &right);
/// Evaluates `/`, whose result is a float; for two integers, a float32.
Value divideValues(Emitter &e, const Value &left, const Value &right);
/// Evaluates `//`, which truncates as in C. `spelling` is the operator or function that the user wrote, for messages.
Value divideIntegers(Emitter &e, std::string_view spelling, const Value &left, const Value &right);
/// Evaluates `%`, whose result has the sign of the dividend as in C.
Value remainderOfIntegers(Emitter &e, std::string_view spelling, const Value &left, const Value &right);

/// Returns a constant of the type `type`, with `value` in all elements.
Runtime filledLike(Emitter &e, const ValueType &type, int64_t value);
/// Raises an error if `type` is a float8 type, which supports no arithmetic. The message contains `verb`.
void rejectFloat8(Emitter &e, std::string_view verb, DType type);

} // namespace hocket::frontend

#endif
