//===- Expressions.h - Visitors of expressions ----------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_EXPRESSIONS_H
#define HOCKET_FRONTEND_EMIT_EXPRESSIONS_H

#include "frontend/emit/CallArguments.h"
#include "frontend/emit/Frames.h"
#include <variant>

namespace hocket::frontend {

class ExpressionEmitter {
public:
  explicit ExpressionEmitter(FrameEmitter &e) : e(e) {}

  Value visit(const ast::Expr *expr);
  /// Evaluates the condition `expr`. Returns a bool if its value is known at compile time, otherwise a run-time i1.
  /// Error messages mention `keyword`, such as "if".
  std::variant<bool, Runtime> visitCondition(const ast::Expr *expr, std::string_view keyword);
  /// Evaluates a call. If `unused` is not null and the result of the call must be used, stores the error for an unused
  /// result in `unused`.
  Value visitCall(const ast::Call &node, std::optional<UnusedResult> *unused = nullptr);
  /// Returns the arguments of a call, after the expansion of `*`.
  CallArguments visitArguments(const ast::Call &node);
  /// Evaluates the binary operation `left op right`.
  Value visitBinary(BinaryOperator op, const Value &left, const Value &right);

  /// Returns the elements of `iterable`, which must be known at compile time.
  std::vector<Value> iterate(const ast::Expr *iterable);
  /// Returns the elements of `value`, to which the expression `iterable` evaluates.
  std::vector<Value> elementsOf(const Value &value, const ast::Expr *iterable);

private:
  Value visitKind(const ast::Expr *expr);
  Value visitSubscript(const ast::Subscript &node);
  Value visitUnary(const ast::Unary &node);
  Value visitLogical(const ast::Logical &node);
  Value visitCompare(const ast::Compare &node);
  Value visitComparison(CompareOperator op, const Value &left, const Value &right);
  Value visitTupleComparison(CompareOperator op, const Value &left, const Value &right);
  Value visitConditional(const ast::Conditional &node);
  Value visitSequence(const ast::Sequence &node);
  Value visitComprehension(const ast::Comprehension &node);
  Value visitFormatString(const ast::FormatString &node);
  std::string formatPiece(const ast::FormatPiece &piece);
  /// Returns the compile-time value of a slice expression: a Python `slice`.
  py::object pythonSlice(const ast::Slice &node);

  FrameEmitter &e;
};

} // namespace hocket::frontend

#endif
