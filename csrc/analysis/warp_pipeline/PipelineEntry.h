//===- PipelineEntry.h - Hazards of copies in flight at the start of a warp pipeline -===//
//
// A copy that is in flight where a pipeline begins completes at one of the pipeline's waits. Stages and slots are
// numbered through all iterations; slot t is before stage t. A wait at slot t completes the copy for the warps that
// have passed the wait. The copy is complete for all groups once all groups have passed a fence after the wait. The
// rule of StageFences.h applies as if the stage before the wait wrote the copied bytes. If stage d accesses the same
// memory, a fence must be at a slot s with
//
//     t <= s <= d - lag
//
// If only warps of one group exchange the copied data, the lag does not matter: a fence at a slot s with t <= s <= d
// suffices.
//
// Example with lag 1, two stages and a ring buffer of three slots. ring[0] has arrived before the pipeline begins;
// ring[1] is in flight with age 1:
//
//     iteration 0    stage 0    reads ring[0], copies into ring[2], commits
//                    slot 1     wait, outstanding 1: two commits have followed the copy into ring[1], t = 1
//                    stage 1
//     iteration 1    stage 2    reads ring[1]: d = 2, so s = 1
//
// Only the first iteration whose accesses overlap the copy matters, because accesses of later iterations allow more
// slots for the fence. Iterations that are not executed need no fence.
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
  /// The stage of the later access and the slot of the wait, both counted from the start of the pipeline through all
  /// iterations. `wait` is null if no wait certainly covers the copy.
  int64_t laterStage = 0, waitSlot = 0;
  mlir::Operation *wait = nullptr;
  /// The hazard in the form that StageFences.h uses: stage numbers and a distance.
  StageHazard inSchedule = {};
};

class PipelineEntry {
public:
  PipelineEntry(const WarpPipeline &pipeline, llvm::ArrayRef<CopyInFlight> inFlight, const StageHazards &stages,
                const MemoryAliases &aliases);

  /// The copies in flight at the start of the pipeline, oldest first.
  llvm::ArrayRef<std::unique_ptr<StageAccess>> getCopies() const { return copies; }
  /// Hazards between these copies and accesses of the stages, sorted by the age of the copy (CopyInFlight::age).
  llvm::ArrayRef<EntryHazard> getHazards() const { return hazards; }

private:
  void compare(const CopyInFlight &inFlight, const StageAccess &copy, const StageAccess &later);

  const WarpPipeline &pipeline;
  StageAccesses copies;
  llvm::SmallVector<EntryHazard> hazards;
};

} // namespace hocket

#endif
