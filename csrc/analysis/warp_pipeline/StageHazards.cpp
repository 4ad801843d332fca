//===- StageHazards.cpp - Hazards between the stages of a warp pipeline -----------===//
#include "analysis/warp_pipeline/StageHazards.h"

using namespace mlir;

namespace hocket {

StageHazards::StageHazards(const WarpPipeline &pipeline, const MemoryAliases &aliases) {
  for (unsigned stage = 0; stage < pipeline.numStages(); ++stage) {
    hk::StageOp op = pipeline.stages[stage];
    op.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *inner) { appendAccesses(accesses, inner, stage, pipeline.loop, aliases); });
  }
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = 0; j < accesses.size(); ++j)
      if (std::optional<AccessHazard> hazard = hazardBetween(pipeline, *accesses[i], *accesses[j], i < j))
        hazards.push_back(*hazard);
}

/// True if one access writes and the other access reads, or if one access is an atomic and the other access is a plain
/// write. The value that the reading or atomic access loads then depends on the order of the two accesses.
static bool isExchange(const StageAccess &a, const StageAccess &b) {
  return a.writes() != b.writes() || (a.writes() && a.isAtomic != b.isAtomic);
}

bool StageHazards::mustPrecede(const StageAccess &earlier, const StageAccess &signal) {
  return signal.isSignal && !earlier.isByOneThread && !earlier.completesAtBarrier();
}

bool StageHazards::areUpToKernel(const StageAccess &earlier, const StageAccess &later) {
  return earlier.completesAtBarrier() || (earlier.isBarrierUse && later.isBarrierUse) ||
         (earlier.isByOneThread && later.isByOneThread);
}

bool StageHazards::areHazard(const StageAccess &a, const StageAccess &b) {
  if (mustPrecede(a, b))
    return true;
  if (areUpToKernel(a, b))
    return false;
  if (a.isGlobal() || b.isGlobal())
    return isExchange(a, b) && mayOverlap(a, b);
  bool isInOrder = !a.isAsync() && findExchange(a, b) == Exchange::WithinWarp;
  return (a.writes() || b.writes()) && mayOverlap(a, b) && !isInOrder;
}

/// True if the accesses of `hazard` are ordered without a fence, because the same warp makes both accesses. A copy is
/// ordered before accesses that follow the warp's wait for the copy.
static bool isInOrder(const AccessHazard &hazard, Iterations iterations) {
  bool isInOrder = hazard.stagesApart > 0 ? hazard.exchange == Exchange::WithinWarp
                                          : isLanePrivate(*hazard.earlier, *hazard.later, iterations);
  return isInOrder && (!hazard.isCopy() || hazard.inSchedule.distance > 0);
}

/// True if the kernel has a barrier in one of the slots between the two accesses.
static bool hasBarrierBetween(const WarpPipeline &pipeline, const StageAccess &earlier, int64_t stagesApart) {
  for (int64_t stage = 1; stage <= std::min<int64_t>(stagesApart, pipeline.numStages()); ++stage)
    if (isa_and_nonnull<hk::BarrierOp>(pipeline.waits[(earlier.stage + stage) % pipeline.numStages()]))
      return true;
  return false;
}

/// Returns the hazard between `earlier` and `later`, where `later` is executed `iterations` iterations after `earlier`.
static AccessHazard describe(const WarpPipeline &pipeline, const StageAccess &earlier, const StageAccess &later,
                             int64_t iterations) {
  AccessHazard hazard{.earlier = &earlier, .later = &later};
  hazard.stagesApart = iterations * pipeline.numStages() + int64_t(later.stage) - int64_t(earlier.stage);
  hazard.exchange = findExchange(earlier, later, iterations);
  hazard.inSchedule = {earlier.stage, hazard.stagesApart, hazard.exchange.lagIn(pipeline.lags)};
  if (!hazard.isCopy())
    return hazard;
  hazard.arrival = findArrival(pipeline, earlier);
  int64_t lastStage = hazard.arrival ? hazard.arrival->stagesLater - 1 : hazard.stagesApart;
  hazard.inSchedule.src = unsigned((earlier.stage + lastStage) % pipeline.numStages());
  hazard.inSchedule.distance = hazard.stagesApart - lastStage;
  return hazard;
}

/// Returns the hazard between two accesses of global memory at the smallest distance in iterations at which warps may
/// conflict. At larger distances, more stages are between the two accesses.
static std::optional<AccessHazard> globalHazard(const WarpPipeline &pipeline, const StageAccess &earlier,
                                                const StageAccess &later, int64_t from) {
  int64_t end = pipeline.loop ? from + kSearchedIterations : 1;
  for (int64_t iterations = from; iterations < end; ++iterations) {
    if (!GlobalRange::mayOverlap(earlier.range, later.range, iterations))
      continue;
    AccessHazard hazard = describe(pipeline, earlier, later, iterations);
    bool isOrdered = isExchange(earlier, later) || hasBarrierBetween(pipeline, earlier, hazard.stagesApart);
    if (isOrdered && !isInOrder(hazard, iterations))
      return hazard;
  }
  AccessHazard beyond = describe(pipeline, earlier, later, end);
  bool isSettled = !pipeline.loop || GlobalRange::areApartFrom(earlier.range, later.range, end) ||
                   isInOrder(beyond, end) || !isExchange(earlier, later);
  return isSettled ? std::nullopt : std::optional(beyond);
}

/// Returns the smallest distance in iterations, at least `from`, at which the two accesses may overlap.
static std::optional<int64_t> firstOverlap(const StageAccess &earlier, const StageAccess &later, int64_t from) {
  if (areInOneRing(earlier, later))
    return RingIndex::firstOverlap(*earlier.slot, *later.slot, from);
  return from;
}

std::optional<AccessHazard> StageHazards::hazardBetween(const WarpPipeline &pipeline, const StageAccess &earlier,
                                                        const StageAccess &later, bool isEarlierInProgram) {
  int64_t from = isEarlierInProgram ? 0 : 1;
  if (mustPrecede(earlier, later))
    return from == 0 || pipeline.loop ? std::optional(describe(pipeline, earlier, later, from)) : std::nullopt;
  if ((!earlier.writes() && !later.writes()) || areUpToKernel(earlier, later) || !mayOverlap(earlier, later))
    return std::nullopt;
  if (earlier.isGlobal())
    return globalHazard(pipeline, earlier, later, from);
  std::optional<int64_t> iterations = firstOverlap(earlier, later, from);
  if (!iterations || (!pipeline.loop && *iterations > 0))
    return std::nullopt;
  AccessHazard hazard = describe(pipeline, earlier, later, *iterations);
  return isInOrder(hazard, *iterations) ? std::nullopt : std::optional(hazard);
}

} // namespace hocket
