//===- Loops.h - Visitors of for and while ----------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_LOOPS_H
#define HOCKET_FRONTEND_EMIT_LOOPS_H

#include "frontend/emit/Expressions.h"
#include "frontend/emit/Ranges.h"
#include <functional>

namespace hocket::frontend {

class LoopEmitter {
public:
  using BodyFn = std::function<void(ast::List<const ast::Stmt *>)>;
  /// `visitStatements` visits the statements of a loop's body.
  LoopEmitter(FrameEmitter &e, ExpressionEmitter &expressions, BodyFn visitStatements)
      : e(e), expressions(expressions), visitStatements(std::move(visitStatements)) {}

  void visitFor(const ast::For &node);
  void visitWhile(const ast::While &node);

private:
  /// Options of gl.range. The value of an option that is not given is 0.
  struct LoopOptions {
    int32_t numStages = 0;
    int32_t unrollFactor = 0;
    /// True if the compiler forms the stages of a warp pipeline.
    bool formsStages = false;
  };
  LoopOptions takeLoopOptions(CallArguments &arguments);
  bool takeFormsStages(CallArguments &arguments);
  void visitRange(const ast::For &node, const CallArguments &arguments, const LoopOptions &options);
  /// Attaches the attributes that later passes read to `loop`, whose body is complete.
  void markCounted(mlir::scf::ForOp loop, const RangeBounds &bounds, const LoopOptions &options);
  /// Visitors of loops with `break` or `return`.
  void visitBreakingRange(const ast::For &node, const RangeBounds &bounds, const LoopOptions &options);
  void visitBreakingWhile(const ast::While &node);
  void unroll(const ast::For &node, const CallArguments &arguments);
  void visitSequence(const ast::For &node);
  void emitTrips(const ast::For &node, uint64_t trips, llvm::function_ref<Value()> nextValue);
  void visitBody(ast::List<const ast::Stmt *> body);

  FrameEmitter &e;
  ExpressionEmitter &expressions;
  BodyFn visitStatements;
};

} // namespace hocket::frontend

#endif
