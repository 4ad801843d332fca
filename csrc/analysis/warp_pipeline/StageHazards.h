//===- StageHazards.h - What the stages of a warp pipeline do to memory -----------===//
//
// Collects the accesses of each stage, and the pairs of them that must be kept apart: that may touch the same bytes,
// one of them writing, from different warps. For each pair the shortest distance at which it happens:
//
//     stage 0   copy  -> ring[(k + 1) % 2]       the load of iteration k + 1 reads what the copy of iteration k writes:
//     stage 1   load  <- ring[k % 2]             3 stages. The copy of iteration k + 1 overwrites what the load of
//                                                iteration k has read: 1 stage
//
// Not a pair: different slots of a ring (RingSlots.h), tiles that warps have for themselves. Pairs of tiles that groups
// have for themselves are marked (WarpExchange.h).
//
// An asynchronous access lasts from the stage that starts it to the wait that covers it (CopyArrival.h). What comes
// before it must be complete when its stage begins; what follows must be kept apart from the stage before the wait.
//
// What an mbarrier tells is up to the kernel: bulk loads that bring bytes to one (isUncounted), for which each warp
// waits itself, are only kept apart from what comes before them. Arrivals at mbarriers that tell other partitions how
// far these warps have come (announces) follow all that the stages did before, by the same distances.
//
// Global memory obeys the same rules; addresses are told apart as far as GlobalPlace.h knows them. Two stores are a
// pair only where the kernel has a barrier between them, and so are two atomics: without stages nothing else orders the
// two, so nothing is lost with stages.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_STAGEHAZARDS_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_STAGEHAZARDS_H

#include "analysis/warp_pipeline/CopyArrival.h"
#include "analysis/warp_pipeline/StageAccess.h"
#include "analysis/warp_pipeline/StageFences.h"

namespace hocket {

struct AccessHazard {
  /// `earlier` comes first in the program.
  const StageAccess *earlier = nullptr, *later = nullptr;
  /// From the stage of `earlier` to that of `later`.
  int64_t stagesApart = 0;
  /// Of a copy as `earlier`: where it has arrived, if it ever does.
  std::optional<CopyArrival> arrival = {};
  bool isCopy() const { return earlier->isAsync(); }
  bool isGlobal() const { return earlier->isGlobal(); }
  /// Who meets whom. Within a warp: lanes that one stage does not keep in order, or a copy before the wait for it.
  Exchange exchange = Exchange::BetweenGroups;
  /// The same in the terms of StageFences.h.
  StageHazard inSchedule = {};
};

class StageHazards {
public:
  /// Shared memory must have been placed.
  StageHazards(const WarpPipeline &pipeline, const SharedAliases &aliases);

  /// In program order.
  llvm::ArrayRef<std::unique_ptr<StageAccess>> getAccesses() const { return accesses; }
  llvm::ArrayRef<AccessHazard> getHazards() const { return hazards; }

  /// Of two accesses of `pipeline`, or of one in different iterations; nothing if they need not be kept apart.
  static std::optional<AccessHazard> hazardBetween(const WarpPipeline &pipeline, const StageAccess &earlier,
                                                   const StageAccess &later, bool isEarlierInProgram);

  /// Must two accesses of different pipelines be kept apart?
  static bool areHazard(const StageAccess &a, const StageAccess &b);

private:
  StageAccesses accesses;
  llvm::SmallVector<AccessHazard> hazards;
};

} // namespace hocket

#endif
