//===- Iteration.cpp - An iteration of the plain loop, run stage by stage --------------===//
#include "transforms/prefetch/Iteration.h"

using namespace mlir;

namespace hocket::prefetch {

void Iteration::follow(const PipelineStage &stage, const Iteration *before) {
  scf::ForOp loop = plan->loop;
  for (BlockArgument variable : stage.carried)
    if (!values.contains(variable))
      values.map(variable, before ? before->lookup(loop.getTiedLoopYieldedValue(variable)->get())
                                  : loop.getTiedLoopInit(variable)->get());
}

void Iteration::run(const PipelineStage &stage, OpBuilder &builder, int64_t begun) {
  for (Operation &op : scf::ForOp(plan->loop).getBody()->without_terminator())
    if (stage.ops.contains(&op) && done.insert(&op).second)
      run(op, builder, begun);
}

/// A wait covers the same groups as in the plain loop: all of the iterations before this one, and of this one those
/// that it covered. But more have been committed since.
void Iteration::run(Operation &op, OpBuilder &builder, int64_t begun) {
  Operation *clone = builder.clone(op, values);
  if (auto wait = dyn_cast<hk::AsyncWait>(clone))
    wait.setOutstanding(wait.getOutstanding() + plan->groupsOf(wait) * (begun - 1));
}

} // namespace hocket::prefetch
