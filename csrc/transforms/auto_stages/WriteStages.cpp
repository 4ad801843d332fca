//===- WriteStages.cpp - Writes stages into the body of a loop ----------------------===//
//
// Stages are written as markers (StageOps.td), as in a kernel with stages. Operations that are not nodes of the graph,
// e.g. scalar arithmetic and views, move into the first stage that uses their results. Operations whose results only the
// next iteration uses move into the stage with the last use of the old value. A wait that moves into the
// previous iteration is also inserted before the loop, for the first iteration.
//
//===------------------------------------------------------------------------------===//
#include "transforms/auto_stages/StageDecision.h"

#include "dialect/hk/facts/ModuleFacts.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace hocket {

namespace {
/// The stages of the operations of a loop's body, except waits.
class StagesOfOps {
public:
  StagesOfOps(scf::ForOp loop, const LoopGraph &graph, const StagePlan &plan);
  std::optional<unsigned> of(Operation *op) const {
    auto stage = stages.find(op);
    return stage != stages.end() ? std::optional(stage->second) : std::nullopt;
  }

private:
  void addOperandsOfNodes();
  void addOthers();
  std::optional<unsigned> lastUse(BlockArgument variable) const;
  unsigned stageOfUse(OpOperand &use) const;

  scf::ForOp loop;
  unsigned numStages;
  /// The operations that are not nodes, in program order.
  SmallVector<Operation *> others;
  llvm::DenseMap<Operation *, unsigned> stages;
};
} // namespace

StagesOfOps::StagesOfOps(scf::ForOp loop, const LoopGraph &graph, const StagePlan &plan)
    : loop(loop), numStages(plan.numStages) {
  for (auto [node, ops] : llvm::enumerate(graph.opsOf))
    for (Operation *op : ops)
      stages[op] = plan.stageOf[node];
  for (Operation &op : loop.getBody()->without_terminator())
    if (!stages.contains(&op) && !llvm::is_contained(graph.waits, &op))
      others.push_back(&op);
  addOperandsOfNodes();
  addOthers();
}

/// Adds operations whose results nodes use, directly or indirectly: to the first stage that uses them.
void StagesOfOps::addOperandsOfNodes() {
  for (Operation *op : llvm::reverse(others)) {
    std::optional<unsigned> first;
    for (Operation *user : op->getUsers())
      if (std::optional<unsigned> stage = of(loop.getBody()->findAncestorOpInBlock(*user)))
        first = std::min(first.value_or(numStages), *stage);
    if (first)
      stages[op] = *first;
  }
}

/// Returns the last stage that uses `variable`; nullopt if no stage does.
std::optional<unsigned> StagesOfOps::lastUse(BlockArgument variable) const {
  std::optional<unsigned> last;
  for (Operation *user : variable.getUsers())
    if (std::optional<unsigned> stage = of(scf::ForOp(loop).getBody()->findAncestorOpInBlock(*user)))
      last = std::max(last.value_or(0), *stage);
  return last;
}

/// Returns the stage in which the value of `use` is needed. The next value of a loop-carried variable is needed after
/// the last use of the variable.
unsigned StagesOfOps::stageOfUse(OpOperand &use) const {
  if (use.getOwner() != scf::ForOp(loop).getBody()->getTerminator())
    return of(scf::ForOp(loop).getBody()->findAncestorOpInBlock(*use.getOwner())).value_or(numStages - 1);
  return lastUse(scf::ForOp(loop).getRegionIterArg(use.getOperandNumber())).value_or(numStages - 1);
}

/// Adds operations whose results are used only by the next iteration, e.g. the addition of a stride to a pointer, or are
/// not used. They are executed in the stage with the last use of the old value, rather than in the last stage, which
/// often contains MMAs.
void StagesOfOps::addOthers() {
  llvm::erase_if(others, [&](Operation *op) { return stages.contains(op); });
  llvm::DenseMap<Operation *, unsigned> earliest;
  for (Operation *op : others) {
    unsigned &stage = earliest[op];
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          stage = std::max(stage, of(producer).value_or(earliest.lookup(producer)));
    });
  }
  for (Operation *op : llvm::reverse(others)) {
    unsigned stage = numStages - 1;
    for (OpOperand &use : op->getUses())
      stage = std::min(stage, stageOfUse(use));
    stages[op] = std::max(stage, earliest.lookup(op));
  }
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
  const StagesOfOps stages(loop, graph, plan);
  std::vector<SmallVector<Operation *>> opsOf(plan.numStages);
  for (Operation &op : loop.getBody()->without_terminator())
    if (std::optional<unsigned> stage = stages.of(&op))
      opsOf[*stage].push_back(&op);
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
