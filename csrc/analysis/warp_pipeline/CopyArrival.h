//===- CopyArrival.h - Arrival of asynchronous copies in a warp pipeline ----------===//
//
// A copy, or another asynchronous access of shared memory, completes at the first wait on its counter that covers its
// group. A wait leaves the newest `outstanding` groups in flight, so the wait covers the copy if at least `outstanding`
// commits have followed the commit of the copy. In a loop, this wait may be in a later iteration:
//
//     stage 0   copy, commit            issued in stage 0 of iteration k,
//     slot 1    wait, outstanding = 1   in iteration k, the copy is in the newest group: not covered;
//     stage 1                           in iteration k + 1, one commit has followed: covered
//
// The stage after the wait is 3 stages later than the stage of the copy: 2 stages for one iteration, and 1 from stage 0
// to stage 1.
//
// Waits for the results of wgmma may also be inside stages. Accesses that such a wait covers count as complete at the
// next slot, because the other group synchronizes with the waiting group only at that slot.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_COPYARRIVAL_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_COPYARRIVAL_H

#include "analysis/warp_pipeline/StageAccess.h"
#include "analysis/warp_pipeline/WarpPipelines.h"

namespace hocket {

struct CopyArrival {
  /// Distance in stages from the stage that issues the copy to the stage after the wait.
  int64_t stagesLater = 0;
  mlir::Operation *wait = nullptr;
};

/// Returns the arrival of `copy`, an asynchronous access that completes on a counter; nullopt if no wait of the
/// pipeline certainly covers the copy.
std::optional<CopyArrival> findArrival(const WarpPipeline &pipeline, const StageAccess &copy);

/// Returns the number of commits between `copy` and the stage that is `stagesLater` stages later, including the copy's
/// own commit. A wait directly before the later stage covers the copy if the wait leaves fewer groups in flight than
/// this number of commits.
unsigned commitsSince(const WarpPipeline &pipeline, const StageAccess &copy, int64_t stagesLater);

struct EntryArrival {
  /// The slot of the wait, counted from the start of the pipeline through all iterations. Slot 0, if the pipeline has
  /// one, is before the first stage.
  int64_t slot = 0;
  mlir::Operation *wait = nullptr;
};

/// Returns the arrival of a copy that is in flight on `counter` at the start of the pipeline; nullopt if no wait
/// certainly covers the copy. `commits` is the number of commits since the copy.
std::optional<EntryArrival> findEntryArrival(const WarpPipeline &pipeline, hk::AsyncCounter counter, unsigned commits);

} // namespace hocket

#endif
