//===- WarpPipelineJoints.cpp - Warp pipelines that follow each other directly ----===//
//
// Between two pipelines all warps meet: the high group catches up, and lags again. If nothing stands between the two,
// the groups may as well stay apart and go from one straight into the other,
//
//     last iteration of the first       |    | second
//     low     c0 |1 c1 |2 c2 |0              c0' |1 c1' ..       |0: the slot after the loop's last stage
//     high       c0 |1 c1 |2 c2 |0 c0' ..
//
// if every hazard between them is settled by a fence in time (StageFences.h): among the slots that low passes from the
// earlier stage on, without the last `lag`; of what stays within groups, among all of them. If the first pipeline ends
// without a slot and the second begins without one, a slot is added; it becomes a fence where that makes the
// difference.
//
// A loop may have no iteration. What lies beyond it in a row of joined pipelines then follows directly, so that is
// checked as if the loop were not there; with iterations there are only more slots, the same ones among them.
//
// Copies that are in flight from one pipeline into another, or past both from before, keep the two apart if they meet
// the second one's accesses. That settles nothing, since no barrier waits for copies; but groups that have met are what
// the second pipeline is planned for (PipelineEntry.h).
//
// Not done: joining where copies are in flight; making more slots of a loop fences.
//
//===------------------------------------------------------------------------------===//
#include "transforms/warp_pipeline/WarpPipelinePlan.h"

using namespace mlir;

namespace hocket {

/// Slots that low passes, in order: is it a fence?
using Slots = SmallVector<bool, 16>;

static bool endsWithSlot(const WarpPipeline &pipeline) { return pipeline.loop && !pipeline.isSlotZeroAtTop; }
static bool beginsWithSlot(const WarpPipeline &pipeline) { return pipeline.loop && pipeline.isSlotZeroAtTop; }

/// Those after stage `stage` of the last iteration. `isGlobal`: fences count that order global memory.
static void appendRest(Slots &slots, const WarpPipelinePlan &plan, unsigned stage, bool isGlobal) {
  const std::vector<bool> &fenced = isGlobal ? plan.globalFenced : plan.fenced;
  for (unsigned slot = stage + 1; slot < plan.pipeline.numStages(); ++slot)
    slots.push_back(fenced[slot]);
  if (endsWithSlot(plan.pipeline))
    slots.push_back(fenced[0]);
}

static void appendJoint(Slots &slots, PipelineJoint joint) {
  if (joint == PipelineJoint::Barrier || joint == PipelineJoint::Fence)
    slots.push_back(joint == PipelineJoint::Fence);
}

/// Those up to stage `stage` of the first iteration.
static void appendBeginning(Slots &slots, const WarpPipelinePlan &plan, unsigned stage, bool isGlobal) {
  const std::vector<bool> &fenced = isGlobal ? plan.globalFenced : plan.fenced;
  if (beginsWithSlot(plan.pipeline))
    slots.push_back(fenced[0]);
  for (unsigned slot = 1; slot <= stage; ++slot)
    slots.push_back(fenced[slot]);
}

static bool isSettled(const Slots &slots, unsigned lag, Exchange exchange) {
  size_t tooLate = exchange == Exchange::BetweenGroups ? lag : 0;
  for (size_t i = 0; i + tooLate < slots.size(); ++i)
    if (slots[i])
      return true;
  return false;
}

/// What is in flight before `first` arrives at its waits or at those of `second`, perhaps after the last fence.
static bool meetsCopiesInFlight(const WarpPipelinePlan &first, const WarpPipelinePlan &second) {
  for (const std::unique_ptr<StageAccess> &copy : first.entry->getCopies())
    for (const std::unique_ptr<StageAccess> &later : second.hazards->getAccesses())
      if (StageHazards::areHazard(*copy, *later))
        return true;
  return false;
}

/// `between`: slots of what is joined between the two, with all joints.
static bool areSettled(const WarpPipelinePlan &first, const Slots &between, const WarpPipelinePlan &second) {
  if (meetsCopiesInFlight(first, second))
    return false;
  for (const std::unique_ptr<StageAccess> &earlier : first.hazards->getAccesses())
    for (const std::unique_ptr<StageAccess> &later : second.hazards->getAccesses()) {
      if (!StageHazards::areHazard(*earlier, *later))
        continue;
      Slots slots;
      appendRest(slots, first, earlier->stage, earlier->isGlobal());
      slots.append(earlier->isGlobal() ? Slots(between.size()) : between);
      appendBeginning(slots, second, later->stage, earlier->isGlobal());
      Exchange exchange = findExchange(*earlier, *later);
      if (earlier->isAsync() || !isSettled(slots, first.pipeline.lag, exchange))
        return false;
    }
  return true;
}

/// May plans[index] be joined to the one before it, and so to all that this is joined to?
static bool mayJoin(ArrayRef<WarpPipelinePlan> plans, size_t index, PipelineJoint joint) {
  Slots between;
  appendJoint(between, joint);
  for (size_t i = index; i > 0; --i) {
    if (!areSettled(plans[i - 1], between, plans[index]))
      return false;
    if (plans[i - 1].joint == PipelineJoint::Apart)
      return true;
    Slots inFront;
    appendJoint(inFront, plans[i - 1].joint);
    if (!plans[i - 1].pipeline.loop)
      for (unsigned slot = 1; slot < plans[i - 1].pipeline.numStages(); ++slot)
        inFront.push_back(plans[i - 1].fenced[slot]);
    inFront.append(between);
    between = std::move(inFront);
  }
  return true;
}

static bool areNeighbours(const WarpPipeline &first, const WarpPipeline &second) {
  if (first.lag != second.lag || first.takesTurns() || second.takesTurns())
    return false;
  Operation *op = first.lastOp()->getNextNode();
  while (op && op != second.firstOp() && leavesWarpsAlone(op))
    op = op->getNextNode();
  return op && op == second.firstOp();
}

void planJoints(MutableArrayRef<WarpPipelinePlan> plans) {
  for (size_t i = 1; i < plans.size(); ++i) {
    const WarpPipeline &first = plans[i - 1].pipeline, &second = plans[i].pipeline;
    if (!areNeighbours(first, second))
      continue;
    bool hasSlot = endsWithSlot(first) || beginsWithSlot(second);
    SmallVector<PipelineJoint> joints = {PipelineJoint::Barrier, PipelineJoint::Fence};
    if (hasSlot)
      joints = {PipelineJoint::Joined};
    for (PipelineJoint joint : joints)
      if (plans[i].joint == PipelineJoint::Apart && mayJoin(plans, i, joint))
        plans[i].joint = joint;
  }
}

} // namespace hocket
