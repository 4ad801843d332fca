//===- Promotion.h - Promotion of operands to a common type -------------------------===//
//
// Gluon's rules. Compile-time numbers are weak: one of a lower or equal kind (bool < integer < float) takes the type of
// the other operand. Otherwise
//
//   float64 > float32 > float16 > bfloat16 > float8     the first that is present decides, except that
//     bfloat16 with another type gives float32, two different float8 give float16,
//     and division and remainder of float16 or bfloat16 give float32;
//   integers promote as in C: the wider one; at equal width the unsigned one.
//     Division and remainder of integers of different signedness are errors.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_PROMOTION_H
#define HOCKET_FRONTEND_SEMANTICS_PROMOTION_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Returns the common type of two operands neither of which is weak. Returns nullopt for integers of different
/// signedness under division.
std::optional<DType> commonType(DType left, DType right, bool isDivision);

/// The element types that integer operands of `range` promote to.
DType promoteIntegers(DType left, DType right);

/// Returns the default type of a bool, int or float object; nullopt for other objects and integers beyond 64 bits.
std::optional<DType> literalType(py::handle number);

struct PromotionOptions {
  bool isDivision = false; ///< `/`, `//`, `%`
  bool isInteger = false;  ///< bit operations and shifts: floats are errors
};

/// Converts to the common type and broadcasts. Pointers are errors here: operators that support pointers handle them
/// first. `verb` is for messages: "add".
std::pair<Runtime, Runtime> promoteOperands(Emitter &e, std::string_view verb, const Value &left, const Value &right,
                                            PromotionOptions options = {});

} // namespace hocket::frontend

#endif
