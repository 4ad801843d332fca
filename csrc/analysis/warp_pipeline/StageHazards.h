//===- StageHazards.h - Hazards between the stages of a warp pipeline -------------===//
//
// Collects the accesses of each stage, and the pairs of accesses with which different warps may access the same bytes,
// at least one of them writing. For each pair, finds the shortest distance in stages at which they do:
//
//     stage 0   copy  -> ring[(k + 1) % 2]       the load of iteration k + 1 reads bytes that copy k writes:
//     stage 1   load  <- ring[k % 2]             3 stages. The copy of iteration k + 1 overwrites what the load of
//                                                iteration k has read: 1 stage
//
// Accesses of different slots of a ring buffer (RingSlots.h) are not a hazard. Neither are accesses in which each warp
// accesses only its own bytes. Pairs in which each group accesses only bytes of its own are marked (WarpExchange.h).
//
// An asynchronous access lasts from the stage that starts it to the wait that covers it (CopyArrival.h). Accesses
// before it must be complete when its stage begins; accesses after it must be separated from the stage before the wait.
//
// The kernel orders accesses after those that complete with a phase of an mbarrier, such as bulk loads: each warp waits
// for the phase itself. Only accesses before them are separated from them here. An arrival at an mbarrier that signals
// other partitions must follow all earlier accesses of the stages, at the same distances.
//
// The same rules apply to global memory; GlobalRange.h decides which addresses are different. Two stores, or two
// atomics, are a pair only if the kernel has a barrier between them. Without a barrier they would not be ordered in a
// kernel without stages, either.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_STAGEHAZARDS_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_STAGEHAZARDS_H

#include "analysis/warp_pipeline/CopyArrival.h"
#include "analysis/warp_pipeline/StageAccess.h"
#include "analysis/warp_pipeline/StageFences.h"

namespace hocket {

struct AccessHazard {
  /// `earlier` precedes `later` in the program.
  const StageAccess *earlier = nullptr, *later = nullptr;
  /// Number of stages between `earlier` and `later`.
  int64_t stagesApart = 0;
  /// If `earlier` is a copy: its arrival, if a wait covers it.
  std::optional<CopyArrival> arrival = {};
  bool isCopy() const { return earlier->isAsync(); }
  bool isGlobal() const { return earlier->isGlobal(); }
  /// The warps that exchange data. WithinWarp is a hazard only between lanes in one stage, or for a copy before the
  /// wait for it.
  Exchange exchange = Exchange::BetweenGroups;
  /// The hazard as StageFences.h describes it.
  StageHazard inSchedule = {};
};

class StageHazards {
public:
  /// Shared memory must have been allocated.
  StageHazards(const WarpPipeline &pipeline, const MemoryAliases &aliases);

  /// The accesses in program order.
  llvm::ArrayRef<std::unique_ptr<StageAccess>> getAccesses() const { return accesses; }
  llvm::ArrayRef<AccessHazard> getHazards() const { return hazards; }

  /// Returns the hazard between two accesses of `pipeline`, or between executions of one access in different
  /// iterations; nullopt if there is none.
  static std::optional<AccessHazard> hazardBetween(const WarpPipeline &pipeline, const StageAccess &earlier,
                                                   const StageAccess &later, bool isEarlierInProgram);

  /// True if `a` and `b`, accesses of different pipelines, conflict.
  static bool areHazard(const StageAccess &a, const StageAccess &b);

private:
  StageAccesses accesses;
  llvm::SmallVector<AccessHazard> hazards;
};

} // namespace hocket

#endif
