//===- StageHazards.h - Hazards between the stages of a warp pipeline -------------===//
//
// Finds the hazards between the accesses of the stages of a warp pipeline. Two accesses are a hazard if at least one of
// them writes, and different warps may access the same bytes with the two accesses. For each hazard, the analysis finds
// the shortest distance in stages between two executions that access the same bytes:
//
//     stage 0   copy -> ring[(k + 1) % 2]    3 stages from the copy of iteration k to the load of the copied bytes
//     stage 1   load <- ring[k % 2]          1 stage from the load of iteration k to the copy that overwrites the bytes
//
// Two accesses are not a hazard if they are of different slots of a ring buffer (RingSlots.h), or if each warp accesses
// only its own bytes. StageHazard::lag is 0 if each group of warps accesses only its own bytes (WarpExchange.h).
//
// An asynchronous access lasts from the stage that starts the access to the wait that covers the access
// (CopyArrival.h). Conflicting accesses before an asynchronous access must be complete when the stage that starts the
// asynchronous access begins. A fence must separate later conflicting accesses from the stage before the wait.
//
// An access that completes with a phase of an mbarrier, such as a bulk load, is a hazard only with earlier accesses. A
// later access is not a hazard with the bulk load, because in the kernel each warp waits for this phase of the mbarrier
// before the warp accesses the loaded data. An arrival at an mbarrier that signals other partitions must follow all
// earlier accesses of the stages, at the same distances.
//
// Accesses of global memory follow the same rules as accesses of shared memory; GlobalRange.h decides which addresses
// are different. Two stores, or two atomics, of global memory are a hazard only if the kernel has a barrier between the
// two accesses. Without the barrier, the two accesses have no order in a kernel without stages, either.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_STAGEHAZARDS_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_STAGEHAZARDS_H

#include "analysis/warp_pipeline/CopyArrival.h"
#include "analysis/warp_pipeline/StageAccess.h"
#include "analysis/warp_pipeline/StageFences.h"

namespace hocket {

struct AccessHazard {
  /// `earlier` is executed before `later`, possibly in an earlier iteration.
  const StageAccess *earlier = nullptr, *later = nullptr;
  /// Number of stages from the execution of `earlier` to the execution of `later`.
  int64_t stagesApart = 0;
  /// If `earlier` is a copy, the arrival of the copy; nullopt if no wait covers the copy.
  std::optional<CopyArrival> arrival = {};
  bool isCopy() const { return earlier->isAsync(); }
  bool isGlobal() const { return earlier->isGlobal(); }
  /// The warps between which the two accesses exchange data. An exchange within a warp is a hazard in two cases:
  /// between lanes in one stage, and between a copy and an access before the wait for the copy.
  Exchange exchange = Exchange::BetweenGroups;
  /// The hazard in the form that StageFences.h uses: stage numbers and a distance.
  StageHazard inSchedule = {};
};

class StageHazards {
public:
  /// Shared memory must have been allocated.
  StageHazards(const WarpPipeline &pipeline, const MemoryAliases &aliases);

  /// The accesses of all stages, in program order.
  llvm::ArrayRef<std::unique_ptr<StageAccess>> getAccesses() const { return accesses; }
  llvm::ArrayRef<AccessHazard> getHazards() const { return hazards; }

  /// Returns the hazard between two accesses of `pipeline`, or between executions of one access in different
  /// iterations; nullopt if there is none.
  static std::optional<AccessHazard> hazardBetween(const WarpPipeline &pipeline, const StageAccess &earlier,
                                                   const StageAccess &later, bool isEarlierInProgram);

  /// True if `signal` signals other partitions, and `earlier`, an access of any memory, must therefore precede the
  /// signal.
  static bool mustPrecede(const StageAccess &earlier, const StageAccess &signal);

  /// True if the two accesses need no order, or if the kernel itself must order the accesses.
  static bool areUpToKernel(const StageAccess &earlier, const StageAccess &later);

  /// True if `a` and `b`, accesses of different pipelines, are a hazard.
  static bool areHazard(const StageAccess &a, const StageAccess &b);

private:
  StageAccesses accesses;
  llvm::SmallVector<AccessHazard> hazards;
};

} // namespace hocket

#endif
