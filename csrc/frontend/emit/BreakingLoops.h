//===- BreakingLoops.h - Loops with break or return ------------------------------------===//
//
//     for i in range(a, b, s):        scf.while (%i = a, %go = a < b, ...) {
//       ...                    =>       scf.condition(%go) %i, ...
//       if c: break                   } do {
//                                       ...; %breaks = scf.if %c ...
//                                       scf.yield %i + s, (b - %i > s) & !%breaks, ...
//                                     }
//
// `b - i` is unsigned, so the comparison is correct even if i + s overflows. A loop that may return also yields that
// flag, and the returned value.
//
// A loop whose jumps are all in branches that are not taken at compile time becomes an scf.for once its body has been
// emitted: `if CONSTEXPR: break` leaves no trace.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_BREAKINGLOOPS_H
#define HOCKET_FRONTEND_EMIT_BREAKINGLOOPS_H

#include "frontend/emit/CarriedNames.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hocket::frontend {

/// Scope of a loop's emission. Its end tells the following statements whether the function has returned.
class LoopScope {
public:
  /// A run-time loop; `breaks` if statements in it may end it early.
  LoopScope(FrameEmitter &e, const ast::Node &node, const CarriedNames &carried, bool breaks = false)
      : LoopScope(e, node, &carried, breaks) {}
  /// An unrolled loop.
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

/// Raises the error of a stage in the innermost loop, if one was kept, when a jump may end the loop at run time.
void checkStages(FrameEmitter &e);

/// Emits an iteration of an unrolled loop, conditionally if an earlier one may have ended the loop.
void unlessBroken(FrameEmitter &e, llvm::function_ref<Value()> trip);

/// An scf.while whose first value is true if there is another iteration.
class BreakingLoop {
public:
  /// Leaves the insertion point in the body. `initial` begins with an i1.
  BreakingLoop(FrameEmitter &e, mlir::ValueRange initial);

  mlir::ValueRange arguments() const;
  /// Ends the body with the values of the next iteration; leaves the insertion point after the loop.
  void finish(llvm::SmallVector<mlir::Value> next);
  /// Ends the body with `next`, and replaces the loop, which nothing ends early, by an scf.for over the second value.
  mlir::scf::ForOp finishCounted(mlir::Value lower, mlir::Value upper, mlir::Value step, mlir::ValueRange next);
  /// Erases the loop.
  void discard();
  /// After the end: `results` are the values of the last iteration; `bindReturn` stores the function's returned value
  /// in the frame's jumps.
  mlir::ValueRange results() const;
  void bindReturn();

private:
  FrameEmitter &e;
  mlir::Operation *loop;
  size_t numValues;
  Value returned; ///< form of the value that the body returns, if it may return
};

} // namespace hocket::frontend

#endif
