//===- Operator.cpp - Spelling of operators ----------------------------------------===//
#include "frontend/values/Operator.h"

using namespace hocket::frontend;

std::string_view hocket::frontend::spelling(BinaryOperator op) {
  static constexpr std::string_view names[] = {"+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"};
  return names[static_cast<int>(op)];
}

std::string_view hocket::frontend::spelling(UnaryOperator op) {
  static constexpr std::string_view names[] = {"-", "+", "~", "not"};
  return names[static_cast<int>(op)];
}

std::string_view hocket::frontend::spelling(CompareOperator op) {
  static constexpr std::string_view names[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};
  return names[static_cast<int>(op)];
}
