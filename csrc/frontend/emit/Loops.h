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
  /// `visitStatements` emits the statements of a loop's body.
  LoopEmitter(FrameEmitter &e, ExpressionEmitter &expressions, BodyFn visitStatements)
      : e(e), expressions(expressions), visitStatements(std::move(visitStatements)) {}

  void visitFor(const ast::For &node);
  void visitWhile(const ast::While &node);

private:
  /// Options of gl.range other than the bounds. An option that is not given is 0 or false.
  struct LoopOptions {
    int32_t numStages = 0;
    int32_t unrollFactor = 0;
    /// True for `warp_pipeline="auto"`: the compiler forms the stages of a warp pipeline from the loop body.
    bool formsStages = false;
  };
  LoopOptions takeLoopOptions(CallArguments &arguments);
  bool takeFormsStages(CallArguments &arguments);
  void visitRange(const ast::For &node, const CallArguments &arguments, const LoopOptions &options);
  /// Sets the attributes of `loop` for `bounds` and `options`, which later passes read. The body of `loop` must be
  /// complete.
  void markCounted(mlir::scf::ForOp loop, const RangeBounds &bounds, const LoopOptions &options);
  /// Emits a loop that contains `break` or `return`.
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
