//===- RingRepair.h - Number of slots that a ring buffer of a warp pipeline needs --===//
//
// For a buffer whose accesses are in stages too close to each other, finds the number of slots, and the number of
// iterations by which to write earlier, with which no accesses are too close. Lag 1, three stages:
//
//     load <- ring[k % 2]    compute    store -> ring[(k + 1) % 2]
//
// The stored data are loaded in the next stage: the distance is 1, but 2 is needed. More slots do not change that. If
// the store is one iteration earlier, to ring[(k + 2) % 2], the data are loaded 4 stages later, and the store is 2
// stages after the load of the data that it overwrites. A buffer that is not a ring buffer has a single slot.
//
// Method: tries numbers of slots, from the smallest on, and for each the distances to write ahead, from the shortest
//         on, against the rules of StageHazards.h.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_RINGREPAIR_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_RINGREPAIR_H

#include "analysis/warp_pipeline/StageHazards.h"

namespace hocket {

struct RingRepair {
  int64_t slots = 0, slotsNow = 0;
  /// Additional iterations between the write of a slot and its read.
  int64_t furtherAhead = 0;
  /// The resulting number of iterations between write and read, if the present number is known.
  std::optional<int64_t> ahead = {};
};

/// Returns the repair; nullopt if the search fails, if there is no loop, or if the slot indices of `buffer` are not
/// analyzed.
std::optional<RingRepair> findRingRepair(const WarpPipeline &pipeline, const StageHazards &stages,
                                         mlir::Operation *buffer);

} // namespace hocket

#endif
