//===- StageHazards.cpp - What the stages of a warp pipeline do to shared memory --===//
#include "analysis/warp_pipeline/StageHazards.h"

using namespace mlir;

namespace hocket {

StageHazards::StageHazards(const WarpPipeline &pipeline, const SharedAliases &aliases) {
  for (unsigned stage = 0; stage < pipeline.numStages(); ++stage) {
    hk::StageOp op = pipeline.stages[stage];
    op.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *inner) { appendAccesses(accesses, inner, stage, pipeline.loop, aliases); });
  }
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = 0; j < accesses.size(); ++j)
      if (std::optional<SharedStageHazard> hazard = hazardBetween(pipeline, *accesses[i], *accesses[j], i < j))
        hazards.push_back(*hazard);
}

bool StageHazards::areHazard(const StageAccess &a, const StageAccess &b) {
  bool isInOrder = !a.isAsync() && findExchange(a, b) == Exchange::WithinWarp;
  return (a.writes() || b.writes()) && mayOverlap(a, b) && !isInOrder;
}

/// In iterations, at least `from`.
static std::optional<int64_t> firstMeeting(const StageAccess &earlier, const StageAccess &later, int64_t from) {
  if (!mayOverlap(earlier, later))
    return std::nullopt;
  if (areInOneRing(earlier, later))
    return RingIndex::firstMeeting(*earlier.slot, *later.slot, from);
  return from;
}

std::optional<SharedStageHazard> StageHazards::hazardBetween(const WarpPipeline &pipeline, const StageAccess &earlier,
                                                             const StageAccess &later, bool isEarlierInProgram) {
  if (!earlier.writes() && !later.writes())
    return std::nullopt;
  std::optional<int64_t> iterations = firstMeeting(earlier, later, isEarlierInProgram ? 0 : 1);
  if (!iterations || (!pipeline.loop && *iterations > 0))
    return std::nullopt;
  SharedStageHazard hazard{.earlier = &earlier, .later = &later};
  hazard.stagesApart = *iterations * pipeline.numStages() + int64_t(later.stage) - int64_t(earlier.stage);
  hazard.exchange = findExchange(earlier, later);
  hazard.inSchedule = {earlier.stage, hazard.stagesApart, hazard.exchange != Exchange::BetweenGroups};
  if (hazard.isCopy()) {
    hazard.arrival = findArrival(pipeline, earlier);
    int64_t lastStage = hazard.arrival ? hazard.arrival->stagesLater - 1 : hazard.stagesApart;
    hazard.inSchedule.src = unsigned((earlier.stage + lastStage) % pipeline.numStages());
    hazard.inSchedule.distance = hazard.stagesApart - lastStage;
  }
  // A warp's own accesses are in order, its own copies once it has waited for them.
  bool isInOrder = hazard.stagesApart > 0 ? hazard.exchange == Exchange::WithinWarp : isLanePrivate(earlier, later);
  if (isInOrder && (!hazard.isCopy() || hazard.inSchedule.distance > 0))
    return std::nullopt;
  return hazard;
}

} // namespace hocket
