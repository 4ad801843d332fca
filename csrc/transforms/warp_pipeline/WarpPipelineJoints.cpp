//===- WarpPipelineJoints.cpp - Joins consecutive warp pipelines ------------------===//
//
// Between two pipelines all warps synchronize: the high group catches up, and lags again. If no operations are between
// the two, the groups may stay apart and continue from one pipeline directly with the other,
//
//     last iteration of the first       |    | second
//     low     c0 |1 c1 |2 c2 |0              c0' |1 c1' ...      |0: the slot after the loop's last stage
//     high       c0 |1 c1 |2 c2 |0 c0' ...
//
// if every hazard between them is settled by a fence in time (StageFences.h): among the slots that the low group passes
// from the earlier stage on, except the last `lag`; for hazards within a group, among all of them. If the first
// pipeline ends without a slot and the second begins without one, a slot is added. It becomes a fence if that settles a
// hazard.
//
// A loop may have no iterations. In a row of joined pipelines, its neighbors are then adjacent, so they are checked as
// if the loop were absent; with iterations there are only additional slots.
//
// Copies in flight from one pipeline into another, or across both, prevent a joint if they conflict with the second
// one's accesses. A joint would not make them unsafe, since no barrier waits for copies; but the second pipeline is
// planned for groups that have synchronized (PipelineEntry.h).
//
// Not done: joints with copies in flight; turning more slots of a loop into fences.
//
//===------------------------------------------------------------------------------===//
#include "transforms/warp_pipeline/WarpPipelinePlan.h"

using namespace mlir;

namespace hocket {

/// The slots that the low group passes, in order; true for a fence.
using Slots = SmallVector<bool, 16>;

static bool endsWithSlot(const WarpPipeline &pipeline) { return pipeline.loop && !pipeline.isSlotZeroAtTop; }
static bool beginsWithSlot(const WarpPipeline &pipeline) { return pipeline.loop && pipeline.isSlotZeroAtTop; }

/// Appends the slots after stage `stage` of the last iteration. `isGlobal`: only fences that order global memory count.
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

/// Appends the slots up to stage `stage` of the first iteration.
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

/// True if a copy in flight before `first` conflicts with the second pipeline. It arrives at a wait of either one,
/// perhaps after the last fence.
static bool meetsCopiesInFlight(const WarpPipelinePlan &first, const WarpPipelinePlan &second) {
  for (const std::unique_ptr<StageAccess> &copy : first.entry->getCopies())
    for (const std::unique_ptr<StageAccess> &later : second.hazards->getAccesses())
      if (StageHazards::areHazard(*copy, *later))
        return true;
  return false;
}

/// `between`: slots of the pipelines joined between the two, with all joints.
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

/// True if plans[index] may be joined to the previous one, and thus to all that it is joined to.
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
  if (first.lag != second.lag || first.isPingPong() || second.isPingPong())
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
