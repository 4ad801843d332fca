//===- BreakingLoops.h - Loops that their statements may end ---------------------------===//
//
//     for i in range(a, b, s):        scf.while (%i = a, %go = a < b, ..) {
//       ..                     =>       scf.condition(%go) %i, ..
//       if c: break                   } do {
//                                       ..; %breaks = scf.if %c ..
//                                       scf.yield %i + s, (b - %i > s) & !%breaks, ..
//                                     }
//
// `b - i` is taken as unsigned, so it is right where i + s does not fit. A loop that may return yields that, and the
// value, as well.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_BREAKINGLOOPS_H
#define HOCKET_FRONTEND_EMIT_BREAKINGLOOPS_H

#include "frontend/emit/CarriedNames.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hocket::frontend {

/// While a loop is emitted. Its end tells the statements after it whether the function has returned.
class LoopScope {
public:
  /// A loop at run time that nothing ends early, or with `breaks` one that is.
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
  const std::vector<int> *needed;
  bool isRuntime;
};

/// Emits a trip of an unrolled loop, unless one before has ended it.
void unlessBroken(FrameEmitter &e, llvm::function_ref<Value()> trip);

/// An scf.while whose first value says whether there is another iteration.
class BreakingLoop {
public:
  /// The insertion point is then in the body. `initial` begins with an i1.
  BreakingLoop(FrameEmitter &e, mlir::ValueRange initial);

  mlir::ValueRange arguments() const;
  /// Ends the body with the values of the next iteration; the insertion point is then after the loop.
  void finish(llvm::SmallVector<mlir::Value> next);
  /// The loop does nothing.
  void discard();
  /// After the end: the values of the last iteration; what the function has returned is in the frame's jumps, and is
  /// set there by `bindReturn`.
  mlir::ValueRange results() const;
  void bindReturn();

private:
  FrameEmitter &e;
  mlir::Operation *loop;
  size_t numValues;
  Value returned; ///< the form of what the body returns, if it may
};

} // namespace hocket::frontend

#endif
