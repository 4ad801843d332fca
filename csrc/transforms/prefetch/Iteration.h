//===- Iteration.h - Values of one iteration of the original loop, executed stage by stage -===//
//
// The stages of one original iteration run at different program points: before the new loop, in several iterations of
// the new loop, and after the new loop. An Iteration maps values of the original loop to the values of one iteration at
// one program point.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_ITERATION_H
#define HOCKET_TRANSFORMS_PREFETCH_ITERATION_H

#include "transforms/prefetch/PipelinePlan.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket::prefetch {

class Iteration {
public:
  /// Creates the iteration in which the induction variable is `index`.
  Iteration(const PipelinePlan &plan, mlir::Value index) : plan(&plan) {
    values.map(mlir::scf::ForOp(plan.loop).getInductionVar(), index);
  }

  /// Returns the value that corresponds to `value` of the original loop in this iteration; `value` itself if `value` is
  /// defined outside of the loop.
  mlir::Value lookup(mlir::Value value) const { return values.lookupOrDefault(value); }
  void bind(mlir::Value value, mlir::Value now) { values.map(value, now); }
  /// Sets the loop-carried variables that `stage` uses to the values that `before`, the previous iteration, yields. If
  /// `before` is null, sets the variables to the initial values.
  void follow(const PipelineStage &stage, const Iteration *before);
  /// Appends the operations of `stage`. `begun` is the number of iterations, from this iteration on, whose asynchronous
  /// copies have been started at this program point.
  void run(const PipelineStage &stage, mlir::OpBuilder &builder, int64_t begun);

private:
  void run(mlir::Operation &op, mlir::OpBuilder &builder, int64_t begun);

  const PipelinePlan *plan;
  mlir::IRMapping values;
  llvm::DenseSet<mlir::Operation *> done;
};

} // namespace hocket::prefetch

#endif
