//===- Promotion.h - Promotion of operands to a common type -------------------------===//
//
// The rules for the common type of operands are the same as in Gluon. Compile-time numbers are weak: a number takes the
// type of the other operand, unless the kind of the number is higher (bool < integer < float). Otherwise
//
//   float64 > float32 > float16 > bfloat16 > float8     the common type is the first that an operand has, except:
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

/// Returns the common type of two operands that are not weak. Returns nullopt for integers of different signedness
/// under division.
std::optional<DType> commonType(DType left, DType right, bool isDivision);

/// Returns the common type of two integer types, such as those of the operands of `range`.
DType promoteIntegers(DType left, DType right);

/// Returns the default type of a bool, int or float object; nullopt for other objects and integers beyond 64 bits.
std::optional<DType> literalType(py::handle number);

struct PromotionOptions {
  bool isDivision = false; ///< true for `/`, `//` and `%`
  bool isInteger = false;  ///< true for bit operations and shifts: floats are errors
};

/// Converts both operands to their common type and broadcasts them. Raises an error for pointers: operators that
/// support pointers handle them before this call. `verb` is inserted into messages, such as "add".
std::pair<Runtime, Runtime> promoteOperands(Emitter &e, std::string_view verb, const Value &left, const Value &right,
                                            PromotionOptions options = {});

} // namespace hocket::frontend

#endif
