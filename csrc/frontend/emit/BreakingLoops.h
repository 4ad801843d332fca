//===- BreakingLoops.h - Loops with break or return ------------------------------------===//
//
//     for i in range(a, b, s):        scf.while (%i = a, %go = a < b, ...) {
//       ...                    =>       scf.condition(%go) %i, ...
//       if c: break                   } do {
//                                       ...; %breaks = scf.if %c ...
//                                       scf.yield %i + s, (b - %i > s) & !%breaks, ...
//                                     }
//
// The comparison b - i > s is unsigned, so it is correct even if i + s overflows. A loop that contains a `return` also
// yields the returned value, and a flag that is true if the function has returned.
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

/// RAII scope for emitting a loop. The destructor sets the frame's jumps (Frames.h) so that the statements after the
/// loop are skipped if the function has returned.
class LoopScope {
public:
  /// Begins the scope of a run-time loop. `breaks` is true if the loop contains `break` or `return`.
  LoopScope(FrameEmitter &e, const ast::Node &node, const CarriedNames &carried, bool breaks = false)
      : LoopScope(e, node, &carried, breaks) {}
  /// Begins the scope of an unrolled loop.
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

/// Raises the stored error about a warp pipeline stage in the innermost loop (Frame::refusedStage) if a `break` or
/// `return` can end this loop at run time.
void checkStages(FrameEmitter &e);

/// Emits one iteration of an unrolled loop by calling `trip`. If an earlier iteration can end the loop at run time, an
/// scf.if encloses the iteration.
void unlessBroken(FrameEmitter &e, llvm::function_ref<Value()> trip);

/// An scf.while loop. The first carried value is an i1 that is true if another iteration follows.
class BreakingLoop {
public:
  /// Creates the scf.while and sets the insertion point into the loop body. `initial` are the initial values of the
  /// carried values; the first is an i1.
  BreakingLoop(FrameEmitter &e, mlir::ValueRange initial);

  mlir::ValueRange arguments() const;
  /// Ends the body with a yield of `next`, the carried values of the next iteration, and sets the insertion point after
  /// the loop.
  void finish(llvm::SmallVector<mlir::Value> next);
  /// Ends the body with a yield of `next`, the carried values of the next iteration without the first two. Replaces the
  /// scf.while by an scf.for whose induction variable is the second carried value of the scf.while. Must not be called
  /// if a `break` or `return` can end the loop.
  mlir::scf::ForOp finishCounted(mlir::Value lower, mlir::Value upper, mlir::Value step, mlir::ValueRange next);
  /// Erases the scf.while and its body.
  void discard();
  /// `results` and `bindReturn` may only be called after `finish`. `results` returns the carried values after the last
  /// iteration. `bindReturn` stores in the frame's jumps whether the loop has returned from the function, and the
  /// returned value.
  mlir::ValueRange results() const;
  void bindReturn();

private:
  FrameEmitter &e;
  mlir::Operation *loop;
  size_t numValues;
  Value returned; ///< value that a `return` in the loop body returns; unset without such a `return`
};

} // namespace hocket::frontend

#endif
