//===- Arithmetic.h - Arithmetic operators and functions -----------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_ARITHMETIC_H
#define HOCKET_FRONTEND_SEMANTICS_ARITHMETIC_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Adds numbers; a pointer and an integer; concatenates tuples.
Value addValues(Emitter &e, const Value &left, const Value &right);
/// Subtracts numbers; an integer from a pointer.
Value subtractValues(Emitter &e, const Value &left, const Value &right);
Value multiplyValues(Emitter &e, const Value &left, const Value &right);
/// `/`: the result is a float; for two integers a float32.
Value divideValues(Emitter &e, const Value &left, const Value &right);
/// `//`, truncating as in C. `spelling` is the user's operator or function, for messages.
Value divideIntegers(Emitter &e, std::string_view spelling, const Value &left, const Value &right);
/// `%`, with the sign of the dividend as in C.
Value remainderOfIntegers(Emitter &e, std::string_view spelling, const Value &left, const Value &right);

/// Returns a constant of the shape and type of `type`.
Runtime filledLike(Emitter &e, const ValueType &type, int64_t value);
/// Raises an error for float8, which supports only conversions.
void rejectFloat8(Emitter &e, std::string_view verb, DType type);

} // namespace hocket::frontend

#endif
