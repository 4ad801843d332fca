//===- CopyArrival.h - Arrival of asynchronous copies in a warp pipeline ----------===//
//
// A copy, or another asynchronous access of shared memory, completes at the first wait on its counter that covers its
// group: the wait leaves the newest `outstanding` groups in flight, so that number of commits must have followed the
// commit of the copy. In a loop that may be iterations later:
//
//     stage 0   copy, commit            issued in stage 0 of iteration k,
//     slot 1    wait, outstanding = 1   committed as the newest group: not covered;
//     stage 1                           in iteration k + 1 one more commit has followed: covered at slot 1 of that
//
// Counted in slots from the stage of the copy, that is 1 + 2 = 3: one iteration of two stages further.
//
// Waits for wgmma may also be in stages. Accesses that such a wait covers count as complete at the next slot, the
// earliest one that makes their completion known to the other group.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_COPYARRIVAL_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_COPYARRIVAL_H

#include "analysis/warp_pipeline/StageAccess.h"
#include "analysis/warp_pipeline/WarpPipelines.h"

namespace hocket {

struct CopyArrival {
  /// Number of stages from the one that issues the copy to the one after the wait.
  int64_t stagesLater = 0;
  mlir::Operation *wait = nullptr;
};

/// Returns nullopt if no wait of the pipeline certainly covers `copy`, an asynchronous access on a counter.
std::optional<CopyArrival> findArrival(const WarpPipeline &pipeline, const StageAccess &copy);

/// Returns the number of commits since `copy`, including its own, before the stage `stagesLater` stages after its own:
/// a wait there that leaves one group less in flight covers it.
unsigned commitsSince(const WarpPipeline &pipeline, const StageAccess &copy, int64_t stagesLater);

struct EntryArrival {
  /// Counted from the start of the pipeline, through all iterations. Slot 0 is before the first stage, if there is one
  /// there.
  int64_t slot = 0;
  mlir::Operation *wait = nullptr;
};

/// Returns the arrival of a copy on `counter` that is in flight where the pipeline begins, with `commits` commits
/// since.
std::optional<EntryArrival> findEntryArrival(const WarpPipeline &pipeline, hk::AsyncCounter counter, unsigned commits);

} // namespace hocket

#endif
