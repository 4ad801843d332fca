//===- WarpPipelineBoundaries.cpp - Joins consecutive warp pipelines ------------------===//
//
// In a warp pipeline, the groups of warps lag behind group 0. By default, all warps synchronize between two warp
// pipelines: the other groups catch up, and then lag again. If no operations are between the pipelines, the groups can
// keep their lags and directly continue with the second pipeline:
//
//     last iteration of the first       |    | second
//     group 0     c0 |1 c1 |2 c2 |0              c0' |1 c1' ...      |0: slot after the loop's last stage
//     group 1        c0 |1 c1 |2 c2 |0 c0' ...
//
// Joining two pipelines requires a fence for every hazard between them (StageFences.h). A *fence* is a slot whose
// barrier also orders memory accesses. The fence for a hazard must be one of the slots that group 0 passes between the
// two accesses. For a hazard between groups whose lags differ by `lag`, the last `lag` slots before the second access
// are too late. If the first pipeline does not end with a slot and the second does not begin with a slot, a slot is
// added between the pipelines. The added slot is a fence if a hazard requires a fence.
//
// The trip count of a loop can be 0. If a loop is between joined pipelines, the pipelines before and after the loop are
// therefore checked as if the loop were absent. Iterations of the loop only add slots between the pipelines around the
// loop.
//
// Pipelines are not joined if a copy that is in flight at the end of the first pipeline conflicts with an access of the
// second pipeline. For copies in flight, the plan of the second pipeline assumes that the groups have synchronized
// (PipelineEntry.h).
//
// Not done: joining pipelines with copies in flight; turning more slots of a loop into fences.
//
//===------------------------------------------------------------------------------===//
#include "transforms/warp_pipeline/WarpPipelinePlan.h"

using namespace mlir;

namespace hocket {

/// The slots that a group passes, in order. An element is true if the slot is a fence.
using Slots = SmallVector<bool, 16>;

static bool endsWithSlot(const WarpPipeline &pipeline) { return pipeline.loop && !pipeline.isSlotZeroAtTop; }
static bool beginsWithSlot(const WarpPipeline &pipeline) { return pipeline.loop && pipeline.isSlotZeroAtTop; }

/// Appends the slots of the last iteration after stage `stage`. If `isGlobal`, only fences that order global memory
/// count as fences.
static void appendRest(Slots &slots, const WarpPipelinePlan &plan, unsigned stage, bool isGlobal) {
  const std::vector<bool> &fenced = isGlobal ? plan.globalFenced : plan.fenced;
  for (unsigned slot = stage + 1; slot < plan.pipeline.numStages(); ++slot)
    slots.push_back(fenced[slot]);
  if (endsWithSlot(plan.pipeline))
    slots.push_back(fenced[0]);
}

static void appendBoundary(Slots &slots, PipelineBoundary boundary) {
  if (boundary == PipelineBoundary::Barrier || boundary == PipelineBoundary::Fence)
    slots.push_back(boundary == PipelineBoundary::Fence);
}

/// Appends the slots of the first iteration before stage `stage`.
static void appendBeginning(Slots &slots, const WarpPipelinePlan &plan, unsigned stage, bool isGlobal) {
  const std::vector<bool> &fenced = isGlobal ? plan.globalFenced : plan.fenced;
  if (beginsWithSlot(plan.pipeline))
    slots.push_back(fenced[0]);
  for (unsigned slot = 1; slot <= stage; ++slot)
    slots.push_back(fenced[slot]);
}

/// True if a fence orders the accesses of groups whose lags differ by `lag`.
static bool isSettled(const Slots &slots, unsigned lag) {
  for (size_t i = 0; i + lag < slots.size(); ++i)
    if (slots[i])
      return true;
  return false;
}

/// True if a copy that is in flight before `first` conflicts with an access of `second`. The wait for such a copy is in
/// `first` or `second`, possibly after the last fence.
static bool conflictsWithCopiesInFlight(const WarpPipelinePlan &first, const WarpPipelinePlan &second) {
  for (const std::unique_ptr<StageAccess> &copy : first.entry->getCopies())
    for (const std::unique_ptr<StageAccess> &later : second.hazards->getAccesses())
      if (StageHazards::areHazard(*copy, *later))
        return true;
  return false;
}

/// True if fences order all hazards between `first` and `second`. `between` are the slots of the pipelines between
/// `first` and `second`, and the slots that boundaries add.
static bool areSettled(const WarpPipelinePlan &first, const Slots &between, const WarpPipelinePlan &second) {
  if (conflictsWithCopiesInFlight(first, second))
    return false;
  for (const std::unique_ptr<StageAccess> &earlier : first.hazards->getAccesses())
    for (const std::unique_ptr<StageAccess> &later : second.hazards->getAccesses()) {
      if (!StageHazards::areHazard(*earlier, *later))
        continue;
      Slots slots;
      appendRest(slots, first, earlier->stage, earlier->isGlobal());
      slots.append(earlier->isGlobal() ? Slots(between.size()) : between);
      appendBeginning(slots, second, later->stage, earlier->isGlobal());
      unsigned lag = findExchange(*earlier, *later).lagIn(first.pipeline.lags);
      if (earlier->isAsync() || !isSettled(slots, lag))
        return false;
    }
  return true;
}

/// True if plans[index] can be joined to the previous pipeline, and to all pipelines that are joined to the previous
/// pipeline.
static bool mayJoin(ArrayRef<WarpPipelinePlan> plans, size_t index, PipelineBoundary boundary) {
  Slots between;
  appendBoundary(between, boundary);
  for (size_t i = index; i > 0; --i) {
    if (!areSettled(plans[i - 1], between, plans[index]))
      return false;
    if (plans[i - 1].boundary == PipelineBoundary::Apart)
      return true;
    Slots inFront;
    appendBoundary(inFront, plans[i - 1].boundary);
    if (!plans[i - 1].pipeline.loop)
      for (unsigned slot = 1; slot < plans[i - 1].pipeline.numStages(); ++slot)
        inFront.push_back(plans[i - 1].fenced[slot]);
    inFront.append(between);
    between = std::move(inFront);
  }
  return true;
}

static bool areNeighbors(const WarpPipeline &first, const WarpPipeline &second) {
  if (first.lags != second.lags || first.isPingPong() || second.isPingPong())
    return false;
  Operation *op = first.lastOp()->getNextNode();
  while (op && op != second.firstOp() && leavesWarpsAlone(op))
    op = op->getNextNode();
  return op && op == second.firstOp();
}

void planBoundaries(MutableArrayRef<WarpPipelinePlan> plans) {
  for (size_t i = 1; i < plans.size(); ++i) {
    const WarpPipeline &first = plans[i - 1].pipeline, &second = plans[i].pipeline;
    if (!areNeighbors(first, second))
      continue;
    bool hasSlot = endsWithSlot(first) || beginsWithSlot(second);
    SmallVector<PipelineBoundary> boundaries = {PipelineBoundary::Barrier, PipelineBoundary::Fence};
    if (hasSlot)
      boundaries = {PipelineBoundary::Joined};
    for (PipelineBoundary boundary : boundaries)
      if (plans[i].boundary == PipelineBoundary::Apart && mayJoin(plans, i, boundary))
        plans[i].boundary = boundary;
  }
}

} // namespace hocket
