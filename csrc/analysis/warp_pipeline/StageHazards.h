//===- StageHazards.h - Hazards between the stages of a warp pipeline -------------===//
//
// Collects the accesses of each stage, and the pairs of accesses that may touch the same bytes from different warps,
// with at least one write. For each pair, finds the shortest distance at which this happens:
//
//     stage 0   copy  -> ring[(k + 1) % 2]       the load of iteration k + 1 reads what the copy of iteration k writes:
//     stage 1   load  <- ring[k % 2]             3 stages. The copy of iteration k + 1 overwrites what the load of
//                                                iteration k has read: 1 stage
//
// Excluded are different slots of a ring buffer (RingSlots.h), and tiles that are private to warps. Pairs of accesses
// that are private to groups are marked (WarpExchange.h).
//
// An asynchronous access lasts from the stage that starts it to the wait that covers it (CopyArrival.h). Accesses
// before it must be complete when its stage begins; accesses after it must be separated from the stage before the wait.
//
// The kernel is responsible for accesses that complete with phases of mbarriers, such as bulk loads: each warp waits
// for these itself, so that they are only separated from accesses before them. Arrivals at mbarriers that announce
// the progress of these warps to other partitions (announces) follow all earlier accesses of the stages, by the same
// distances.
//
// Global memory obeys the same rules; addresses are distinguished as far as GlobalRange.h can. Two stores are a pair
// only if the kernel has a barrier between them, and so are two atomics: without stages nothing else orders the two, so
// no order is lost with stages.
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
  /// Number of stages from `earlier` to `later`.
  int64_t stagesApart = 0;
  /// For a copy as `earlier`: its arrival, if there is one.
  std::optional<CopyArrival> arrival = {};
  bool isCopy() const { return earlier->isAsync(); }
  bool isGlobal() const { return earlier->isGlobal(); }
  /// The warps that exchange data. Within a warp: lanes that one stage does not order, or a copy before the wait for
  /// it.
  Exchange exchange = Exchange::BetweenGroups;
  /// The hazard in terms of StageFences.h.
  StageHazard inSchedule = {};
};

class StageHazards {
public:
  /// Shared memory must have been allocated.
  StageHazards(const WarpPipeline &pipeline, const MemoryAliases &aliases);

  /// The accesses in program order.
  llvm::ArrayRef<std::unique_ptr<StageAccess>> getAccesses() const { return accesses; }
  llvm::ArrayRef<AccessHazard> getHazards() const { return hazards; }

  /// Returns the hazard of two accesses of `pipeline`, or of one in different iterations; nullopt if there is none.
  static std::optional<AccessHazard> hazardBetween(const WarpPipeline &pipeline, const StageAccess &earlier,
                                                   const StageAccess &later, bool isEarlierInProgram);

  /// True if two accesses of different pipelines conflict.
  static bool areHazard(const StageAccess &a, const StageAccess &b);

private:
  StageAccesses accesses;
  llvm::SmallVector<AccessHazard> hazards;
};

} // namespace hocket

#endif
