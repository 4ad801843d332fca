//===- Promotion.h - Promotion of operands to a common type -------------------------===//
//
// The rules for the common type of operands are the same as in Gluon. Compile-time numbers are weak: a number takes the
// type of the other operand, unless the kind of the number is higher (bool < integer < float). In all other cases, the
// common type is that of the first row below that applies to an operand:
//
//   an operand is       common type
//   float64             float64
//   float32             float32
//   float16             float16; for division and remainder float32
//   bfloat16            bfloat16 if both operands are bfloat16, else float32; for division and remainder float32
//   float8              float8 if both operands have the same float8 type, else float16
//   integer             as in C the wider type, or at equal width the unsigned type
//
// Division and remainder of integers of different signedness are errors.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_PROMOTION_H
#define HOCKET_FRONTEND_SEMANTICS_PROMOTION_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Returns the common type of operands of the types `left` and `right`, according to the table above. Returns nullopt
/// if `isDivision` is true and the operands are integers of different signedness.
std::optional<DType> commonType(DType left, DType right, bool isDivision);

/// Returns the common type of two integer types, such as those of the operands of `range`.
DType promoteIntegers(DType left, DType right);

/// Returns the default type of a bool, int or float object; nullopt for other objects and integers beyond 64 bits.
std::optional<DType> literalType(py::handle number);

struct PromotionOptions {
  bool isDivision = false; ///< true if the operation is a division or a remainder
  bool isInteger = false;  ///< true if the operation needs integers, such as a shift
};

/// Converts both operands to their common type and broadcasts them. Raises an error for pointers, because operators
/// that support pointers do not call this function for pointers. `verb`, such as "add", is inserted into messages.
std::pair<Runtime, Runtime> promoteOperands(Emitter &e, std::string_view verb, const Value &left, const Value &right,
                                            PromotionOptions options = {});

} // namespace hocket::frontend

#endif
