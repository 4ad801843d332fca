//===- PipelineEntry.h - Hazards of copies in flight at the start of a warp pipeline -===//
//
// A copy that is in flight where a pipeline begins arrives at one of its waits. Slots are numbered
// through all iterations, slot t before stage t. A wait at slot t covers the copy for the warps that have passed it,
// and for both groups once they have passed a fence after it. The rule of StageFences.h applies, with the stage
// before the wait as the one that writes: a stage d that accesses the same memory needs a fence at a slot s,
//
//     t <= s <= d - lag
//
// or s <= d, if the exchange stays within groups.
//
// Lag 1, two stages, a ring buffer of three slots; ring[0] has arrived before, ring[1] is in flight with age 1:
//
//     iteration 0    stage 0    reads ring[0], copies into ring[2], commits
//                    slot 1     wait, outstanding 1: two commits have followed the copy into ring[1], t = 1
//                    stage 1
//     iteration 1    stage 2    reads ring[1]: d = 2, so s = 1
//
// Only the first iteration that overlaps the copy counts: later ones have more slots to choose from. Iterations that
// are not executed need nothing.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_PIPELINEENTRY_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_PIPELINEENTRY_H

#include "analysis/warp_pipeline/CopiesInFlight.h"
#include "analysis/warp_pipeline/StageHazards.h"

namespace hocket {

struct EntryHazard {
  CopyInFlight inFlight;
  const StageAccess *copy = nullptr, *later = nullptr;
  /// Counted from the start of the pipeline, through all iterations. The wait is before stage `waitSlot`; null if none
  /// certainly covers the copy.
  int64_t laterStage = 0, waitSlot = 0;
  mlir::Operation *wait = nullptr;
  /// The hazard in terms of StageFences.h.
  StageHazard inSchedule = {};
};

class PipelineEntry {
public:
  PipelineEntry(const WarpPipeline &pipeline, llvm::ArrayRef<CopyInFlight> inFlight, const StageHazards &stages,
                const MemoryAliases &aliases);

  /// The copies in flight, oldest first.
  llvm::ArrayRef<std::unique_ptr<StageAccess>> getCopies() const { return copies; }
  /// Hazards of these copies with accesses of the stages, by the age of the copy.
  llvm::ArrayRef<EntryHazard> getHazards() const { return hazards; }

private:
  void compare(const CopyInFlight &inFlight, const StageAccess &copy, const StageAccess &later);

  const WarpPipeline &pipeline;
  StageAccesses copies;
  llvm::SmallVector<EntryHazard> hazards;
};

} // namespace hocket

#endif
