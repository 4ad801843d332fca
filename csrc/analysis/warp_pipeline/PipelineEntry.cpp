//===- PipelineEntry.cpp - Hazards of copies in flight at the start of a warp pipeline -===//
#include "analysis/warp_pipeline/PipelineEntry.h"

using namespace mlir;

namespace hocket {

PipelineEntry::PipelineEntry(const WarpPipeline &pipeline, ArrayRef<CopyInFlight> inFlight, const StageHazards &stages,
                             const MemoryAliases &aliases)
    : pipeline(pipeline) {
  for (const CopyInFlight &copy : inFlight) {
    size_t first = copies.size();
    appendAccesses(copies, copy.op, /*stage=*/0, copy.loop, aliases);
    copies.erase(std::remove_if(copies.begin() + first, copies.end(),
                                [&](const auto &access) { return access->getCounter() != copy.counter; }),
                 copies.end());
    for (size_t i = first; i < copies.size(); ++i)
      if (copy.loop && copies[i]->slot)
        copies[i]->slot = copies[i]->slot->at(copy.iteration);
    for (size_t i = first; i < copies.size(); ++i)
      for (const std::unique_ptr<StageAccess> &later : stages.getAccesses())
        if (copies[i]->writes() || later->writes())
          compare(copy, *copies[i], *later);
  }
}

/// Returns the first iteration of the pipeline in which `later` may overlap the copy in flight; nullopt if there is
/// none. Without a loop, the result can only be iteration 0.
static std::optional<int64_t> firstIteration(const CopyInFlight &inFlight, const StageAccess &copy,
                                             const StageAccess &later) {
  if (!mayOverlap(copy, later))
    return std::nullopt;
  if (copy.isGlobal()) {
    bool isComparable = !inFlight.isOfEarlierIteration && !inFlight.loop;
    return isComparable && !GlobalRange::mayOverlap(copy.range, later.range, 0) ? std::nullopt
                                                                                : std::optional<int64_t>(0);
  }
  if (!areInOneRing(copy, later))
    return 0;
  RingIndex slot = inFlight.passed ? later.slot->withTrips(inFlight.passed, inFlight.trips) : *later.slot;
  return RingIndex::firstIterationAt(*copy.slot, slot, /*sameRun=*/!inFlight.isOfEarlierIteration);
}

void PipelineEntry::compare(const CopyInFlight &inFlight, const StageAccess &copy, const StageAccess &later) {
  std::optional<int64_t> iteration = firstIteration(inFlight, copy, later);
  if (!iteration || (!pipeline.loop && *iteration > 0))
    return;
  int64_t count = pipeline.numStages();
  EntryHazard hazard{.inFlight = inFlight, .copy = &copy, .later = &later};
  hazard.laterStage = *iteration * count + int64_t(later.stage);
  Exchange exchange = inFlight.isOfEarlierIteration ? Exchange(Exchange::BetweenGroups) : findExchange(copy, later);
  hazard.inSchedule.lag = exchange.lagIn(pipeline.lags);
  if (std::optional<EntryArrival> arrival = findEntryArrival(pipeline, inFlight.counter, inFlight.age)) {
    hazard.waitSlot = arrival->slot;
    hazard.wait = arrival->wait;
    // The copy counts as in flight until the end of the stage before the wait.
    hazard.inSchedule.src = unsigned((arrival->slot + count - 1) % count);
    hazard.inSchedule.distance = hazard.laterStage - (arrival->slot - 1);
  }
  // If each warp accesses only bytes that it has copied itself, the warp's wait for its copies suffices.
  if (exchange == Exchange::WithinWarp && hazard.wait && hazard.inSchedule.distance > 0)
    return;
  hazards.push_back(hazard);
}

} // namespace hocket
