//===- Iteration.cpp - Values of one iteration of the original loop, executed stage by stage -===//
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

/// A wait must cover the same groups as in the original loop. Groups that later iterations have already committed
/// therefore increase the number of groups that the wait leaves in flight.
void Iteration::run(Operation &op, OpBuilder &builder, int64_t begun) {
  Operation *clone = builder.clone(op, values);
  if (auto wait = dyn_cast<hk::AsyncWait>(clone))
    wait.setOutstanding(wait.getOutstanding() + plan->groupsOf(wait) * (begun - 1));
}

} // namespace hocket::prefetch
