//===- Operator.h - The operators of the language ----------------------------------===//
#ifndef HOCKET_FRONTEND_OPERATOR_H
#define HOCKET_FRONTEND_OPERATOR_H

#include <cstdint>
#include <string_view>

namespace hocket::frontend {

enum class BinaryOperator : uint8_t { Add, Sub, Mul, Div, FloorDiv, Mod, Pow, Shl, Shr, And, Or, Xor, MatMul };
enum class UnaryOperator : uint8_t { Negate, Plus, Invert, Not };
enum class CompareOperator : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };

/// Returns the operator in Python's syntax, such as "+", "//", "not" or "is not".
std::string_view spelling(BinaryOperator op);
std::string_view spelling(UnaryOperator op);
std::string_view spelling(CompareOperator op);

} // namespace hocket::frontend

#endif
