//===- CopyArrival.h - Where asynchronous copies of a warp pipeline have arrived --===//
//
// A copy, or another asynchronous access of shared memory, is done at the first wait on its counter that covers the
// group it was committed to: the wait leaves the newest `outstanding` groups in flight, so as many commits must have
// followed that of the copy. In a loop that may be iterations later:
//
//     stage 0   copy, commit            issued in stage 0 of iteration k,
//     slot 1    wait, outstanding = 1   committed as the newest group: not covered;
//     stage 1                           in iteration k + 1 one more commit has followed: covered at slot 1 of that
//
// In slots from the stage of the copy that is 1 + 2 = 3: one iteration of two stages further.
//
// Waits for products of a warpgroup may also be in stages. What such a wait covers counts as done at the next slot:
// there is no earlier one at which the other group could learn of it.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_COPYARRIVAL_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_COPYARRIVAL_H

#include "analysis/warp_pipeline/StageAccess.h"
#include "analysis/warp_pipeline/WarpPipelines.h"

namespace hocket {

struct CopyArrival {
  /// The wait is before the stage that many stages after the one that issues the copy.
  int64_t stagesLater = 0;
  mlir::Operation *wait = nullptr;
};

/// Nothing if no wait of the pipeline certainly covers `copy`, an asynchronous access.
std::optional<CopyArrival> findArrival(const WarpPipeline &pipeline, const StageAccess &copy);

/// How many commits have followed `copy`, its own among them, before the stage that many stages after its own: a wait
/// there that leaves one group less covers it.
unsigned commitsSince(const WarpPipeline &pipeline, const StageAccess &copy, int64_t stagesLater);

struct EntryArrival {
  /// Counted from where the pipeline begins, through all iterations. Slot 0 is before the first stage, if there is one
  /// there.
  int64_t slot = 0;
  mlir::Operation *wait = nullptr;
};

/// The same for a copy on `counter` that is in flight where the pipeline begins, and that `commits` commits have
/// followed by then.
std::optional<EntryArrival> findEntryArrival(const WarpPipeline &pipeline, hk::AsyncCounter counter, unsigned commits);

} // namespace hocket

#endif
