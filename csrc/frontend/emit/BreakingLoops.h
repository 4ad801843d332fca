//===- BreakingLoops.h - Loops with break or return ------------------------------------===//
//
//     for i in range(a, b, s):        scf.while (%i = a, %go = a < b, ...) {
//       ...                    =>       scf.condition(%go) %i, ...
//       if c: break                   } do {
//                                       ...; %breaks = scf.if %c ...
//                                       scf.yield %i + s, (b - %i > s) & !%breaks, ...
//                                     }
//
// `b - i` is unsigned, so the comparison is correct even if i + s overflows. A loop with a `return` also yields a flag
// that is true if the function has returned, and the returned value.
//
// If all jumps of a loop are in branches that are not taken at compile time, as in `if CONSTEXPR: break`, the loop is
// replaced by an scf.for after its body has been emitted.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_BREAKINGLOOPS_H
#define HOCKET_FRONTEND_EMIT_BREAKINGLOOPS_H

#include "frontend/emit/CarriedNames.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hocket::frontend {

/// Scope in which a loop is emitted. The destructor sets the frame's jumps (Frames.h) so that the statements after the
/// loop are skipped if the function has returned.
class LoopScope {
public:
  /// Begins a run-time loop. `breaks` is true if the loop contains `break` or `return`.
  LoopScope(FrameEmitter &e, const ast::Node &node, const CarriedNames &carried, bool breaks = false)
      : LoopScope(e, node, &carried, breaks) {}
  /// Begins an unrolled loop.
  LoopScope(FrameEmitter &e, const ast::Node &node, bool breaks) : LoopScope(e, node, nullptr, breaks) {}
  ~LoopScope();
  LoopScope(const LoopScope &) = delete;

private:
  LoopScope(FrameEmitter &e, const ast::Node &node, const CarriedNames *carried, bool breaks);

  Frame &frame;
  const ast::Node *loop, *breaking;
  std::exception_ptr refusedStage;
  const std::vector<int> *needed;
  bool isRuntime;
};

/// If a jump can end the innermost loop at run time, raises the error of a warp pipeline stage in this loop
/// (Frame::refusedStage).
void checkStages(FrameEmitter &e);

/// Emits an iteration of an unrolled loop. An `if` encloses the iteration if an earlier iteration can end the loop at
/// run time.
void unlessBroken(FrameEmitter &e, llvm::function_ref<Value()> trip);

/// An scf.while whose first carried value is true if there is another iteration.
class BreakingLoop {
public:
  /// Creates the loop and sets the insertion point into its body. `initial` are the initial values, the first of which
  /// is an i1.
  BreakingLoop(FrameEmitter &e, mlir::ValueRange initial);

  mlir::ValueRange arguments() const;
  /// Ends the body with the values of the next iteration and sets the insertion point after the loop.
  void finish(llvm::SmallVector<mlir::Value> next);
  /// Ends the body with the values `next` of the next iteration. Replaces the loop by an scf.for whose induction
  /// variable is the second value. No jump may end the loop early.
  mlir::scf::ForOp finishCounted(mlir::Value lower, mlir::Value upper, mlir::Value step, mlir::ValueRange next);
  /// Erases the loop.
  void discard();
  /// Functions to call after the end of the loop: `results` returns the values of the last iteration, and `bindReturn`
  /// stores the returned value of the function in the frame's jumps.
  mlir::ValueRange results() const;
  void bindReturn();

private:
  FrameEmitter &e;
  mlir::Operation *loop;
  size_t numValues;
  Value returned; ///< form of the value that the body returns, if it contains a `return`
};

} // namespace hocket::frontend

#endif
