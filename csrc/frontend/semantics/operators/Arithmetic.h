//===- Arithmetic.h - Addition to remainder, by operator or by name ------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_ARITHMETIC_H
#define HOCKET_FRONTEND_SEMANTICS_ARITHMETIC_H

#include "frontend/emit/Emitter.h"

namespace hocket::frontend {

/// Numbers; a pointer and an integer; two tuples.
Value addValues(Emitter &e, const Value &left, const Value &right);
/// Numbers; a pointer minus an integer.
Value subtractValues(Emitter &e, const Value &left, const Value &right);
Value multiplyValues(Emitter &e, const Value &left, const Value &right);
/// `/`: a float; of two integers a float32.
Value divideValues(Emitter &e, const Value &left, const Value &right);
/// `//`, truncating as in C. `spelling` is what the user wrote, for messages.
Value divideIntegers(Emitter &e, std::string_view spelling, const Value &left, const Value &right);
/// `%`, with the sign of the dividend as in C.
Value remainderOfIntegers(Emitter &e, std::string_view spelling, const Value &left, const Value &right);

/// A constant of the shape and type of `type`.
Runtime filledLike(Emitter &e, const ValueType &type, int64_t value);
/// float8 has conversions only: computing with it is an error.
void rejectFloat8(Emitter &e, std::string_view verb, DType type);

} // namespace hocket::frontend

#endif
