//===- Iteration.h - Values of one iteration of the original loop, executed stage by stage -===//
//
// Stages of one iteration run at different program points: before the loop, in its body for different values of its
// induction variable, and after it. An Iteration maps the loop's values to those of one iteration at one program point.
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
  /// The iteration in which the induction variable is `index`.
  Iteration(const PipelinePlan &plan, mlir::Value index) : plan(&plan) {
    values.map(mlir::scf::ForOp(plan.loop).getInductionVar(), index);
  }

  /// Returns the value of this iteration for `value` of the original loop; `value` itself if it is defined outside.
  mlir::Value lookup(mlir::Value value) const { return values.lookupOrDefault(value); }
  void bind(mlir::Value value, mlir::Value now) { values.map(value, now); }
  /// Sets the loop-carried variables that `stage` needs to the values that `before`, the previous iteration, yields;
  /// without one, to the initial values.
  void follow(const PipelineStage &stage, const Iteration *before);
  /// Appends the operations of `stage`. `begun`: number of iterations, including this one, that have started their
  /// asynchronous copies by then.
  void run(const PipelineStage &stage, mlir::OpBuilder &builder, int64_t begun);

private:
  void run(mlir::Operation &op, mlir::OpBuilder &builder, int64_t begun);

  const PipelinePlan *plan;
  mlir::IRMapping values;
  llvm::DenseSet<mlir::Operation *> done;
};

} // namespace hocket::prefetch

#endif
