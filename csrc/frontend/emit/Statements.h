//===- Statements.h - Visitors of statements ------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_STATEMENTS_H
#define HOCKET_FRONTEND_EMIT_STATEMENTS_H

#include "frontend/emit/Expressions.h"
#include "frontend/emit/Loops.h"

namespace hocket::frontend {

/// Statements to emit after the current list of statements, unless the list ends with a `return`.
struct Continuation {
  ast::List<const ast::Stmt *> statements;
  const Continuation *next;
};

class StatementEmitter {
public:
  StatementEmitter(FrameEmitter &e, ExpressionEmitter &expressions)
      : e(e), expressions(expressions), loops(e, expressions, [this](auto body) { visitLoopBlock(body); }) {}

  /// Emits `statements`, then the statements of `after`. Returns the return value of the function if the statements end
  /// with a `return`; otherwise nullopt.
  std::optional<Value> visitBlock(ast::List<const ast::Stmt *> statements, const Continuation *after = nullptr);

  /// Emits statements of a loop's body, then the statements of `after`. Afterwards, the frame's jumps (Frames.h) show
  /// whether the statements end the iteration, the loop or the function.
  void visitLoopBlock(ast::List<const ast::Stmt *> statements, const Continuation *after = nullptr);

private:
  void visitLeavingIf(const ast::If &node, const Continuation &rest);
  /// Emits the statements after a statement that contains jumps. If a jump can skip these statements at run time, they
  /// are emitted in an scf.if.
  void visitRest(const Continuation &rest);
  void visitSimple(const ast::Stmt &statement);
  std::optional<Value> visitIf(const ast::If &node, const Continuation &rest, bool &visitedRest);
  void visitAnnotatedAssign(const ast::AnnotatedAssign &node);
  void visitAugmentedAssign(const ast::AugmentedAssign &node);
  void visitAssert(const ast::Assert &node);
  std::optional<Value> visitAfterReturn(const Continuation &rest);
  void visitFunctionDefinition(const ast::FunctionDefinition &node);
  Value visitReturn(const ast::Return &node);
  void visitExpression(const ast::Expression &node);
  void visitWith(const ast::With &node);
  /// Raises an error for a jump statement that would leave the enclosing `with`.
  [[noreturn]] void raiseLeavesWith(std::string_view keyword);
  void visitScope(const ast::With &node, const ast::Call &call, py::handle stub);
  /// Returns the operation before the insertion point in the current block; null if there is none.
  mlir::Operation *lastOperation() const;

  FrameEmitter &e;
  ExpressionEmitter &expressions;
  LoopEmitter loops;
};

} // namespace hocket::frontend

#endif
