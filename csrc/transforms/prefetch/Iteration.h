//===- Iteration.h - An iteration of the plain loop, run stage by stage ----------------===//
//
// Stages of one iteration run at different places: before the loop, in its body for different values of its variable,
// and behind it. An Iteration is what is known of one of them at one place: its values so far.
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
  /// The iteration in which the loop's variable is `index`.
  Iteration(const PipelinePlan &plan, mlir::Value index) : plan(&plan) {
    values.map(mlir::scf::ForOp(plan.loop).getInductionVar(), index);
  }

  /// What a value of the plain loop is in this iteration; the value itself if the loop does not make it.
  mlir::Value lookup(mlir::Value value) const { return values.lookupOrDefault(value); }
  void bind(mlir::Value value, mlir::Value now) { values.map(value, now); }
  /// Gives the variables that `stage` needs the values that `before`, the iteration before this one, leaves; without
  /// one, those that the loop starts with.
  void follow(const PipelineStage &stage, const Iteration *before);
  /// Appends what `stage` does. `begun` iterations, this one included, have started their asynchronous copies by then.
  void run(const PipelineStage &stage, mlir::OpBuilder &builder, int64_t begun);

private:
  void run(mlir::Operation &op, mlir::OpBuilder &builder, int64_t begun);

  const PipelinePlan *plan;
  mlir::IRMapping values;
  llvm::DenseSet<mlir::Operation *> done;
};

} // namespace hocket::prefetch

#endif
