//===- WriteStages.cpp - Writes stages into the body of a loop ----------------------===//
//
// Stages are written as markers (StageOps.td), as in a kernel with stages. Operations that are not nodes of the graph,
// e.g. scalar arithmetic and views, move into the first stage that uses their results. A wait that moves into the
// previous iteration is also inserted before the loop, for the first iteration.
//
//===------------------------------------------------------------------------------===//
#include "transforms/auto_stages/StageDecision.h"

#include "dialect/hk/facts/ModuleFacts.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace hocket {

/// Returns the stage of each operation in the body of `loop`, except waits.
static llvm::DenseMap<Operation *, unsigned> stagesOfOps(scf::ForOp loop, const LoopGraph &graph,
                                                         const StagePlan &plan) {
  llvm::DenseMap<Operation *, unsigned> stages;
  for (auto [node, ops] : llvm::enumerate(graph.opsOf))
    for (Operation *op : ops)
      stages[op] = plan.stageOf[node];
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
    if (stages.contains(&op) || llvm::is_contained(graph.waits, &op))
      continue;
    unsigned first = plan.numStages - 1;
    for (Operation *user : op.getUsers())
      if (auto stage = stages.find(loop.getBody()->findAncestorOpInBlock(*user)); stage != stages.end())
        first = std::min(first, stage->second);
    stages[&op] = first;
  }
  return stages;
}

/// Moves wait number `index` to the end of the body, where the stages are being written.
static void writeWait(scf::ForOp loop, const LoopGraph &graph, const StagePlan &plan, unsigned index) {
  Operation *wait = graph.waits[index];
  if (plan.waitSlots[index] < 0) {
    OpBuilder builder(loop);
    auto first = cast<hk::AsyncWait>(builder.clone(*wait));
    // Groups with numbers up to 0 have been committed before the loop (StageProblem.h).
    first.setOutstanding(uint32_t(-graph.problem.waits[index].covers));
  }
  cast<hk::AsyncWait>(wait).setOutstanding(uint32_t(plan.outstanding[index]));
  wait->moveBefore(loop.getBody()->getTerminator());
}

void writeStages(scf::ForOp loop, const LoopGraph &graph, const StagePlan &plan) {
  const llvm::DenseMap<Operation *, unsigned> stages = stagesOfOps(loop, graph, plan);
  std::vector<SmallVector<Operation *>> opsOf(plan.numStages);
  for (Operation &op : loop.getBody()->without_terminator())
    if (auto stage = stages.find(&op); stage != stages.end())
      opsOf[stage->second].push_back(&op);
  const std::vector<std::string> labels = labelsOf(graph.problem, plan);
  std::optional<std::vector<int>> priorities;
  if (hk::targetOf(loop).hasWarpPriorities)
    priorities = prioritiesOf(graph.problem, plan);
  const int64_t count = plan.numStages;
  Operation *yield = loop.getBody()->getTerminator();
  OpBuilder builder(yield);
  for (unsigned stage = 0; stage < plan.numStages; ++stage) {
    for (unsigned wait = 0; wait < graph.waits.size(); ++wait)
      if ((plan.waitSlots[wait] + count) % count == int64_t(stage))
        writeWait(loop, graph, plan, wait);
    Location loc = opsOf[stage].empty() ? loop.getLoc() : opsOf[stage].front()->getLoc();
    auto begin = hk::StageBeginOp::create(builder, loc, builder.getStringAttr(labels[stage]),
                                          priorities ? builder.getI32IntegerAttr((*priorities)[stage]) : IntegerAttr(),
                                          stage == 0 ? builder.getI32IntegerAttr(int32_t(plan.lag)) : IntegerAttr());
    begin.setExclusive(plan.isPingPong() && plan.exclusive[stage]);
    for (Operation *op : opsOf[stage])
      op->moveBefore(yield);
    hk::StageEndOp::create(builder, loc);
  }
}

} // namespace hocket
