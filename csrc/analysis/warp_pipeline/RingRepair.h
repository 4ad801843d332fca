//===- RingRepair.h - Number of slots that a ring buffer of a warp pipeline needs --===//
//
// For a buffer whose accesses are too close: finds the number of slots, and the additional number of iterations to
// write ahead, at which all of them are far enough apart. Lag 1, three stages:
//
//     load <- ring[k % 2]    compute    store -> ring[(k + 1) % 2]
//
// The stored data are loaded in the next stage: the distance is 1, but 2 are needed. More slots do not change that. If
// the store is one iteration further ahead, to ring[(k + 2) % 2], the data are loaded 4 stages later, and the store is
// 2 stages after the load of the data that it overwrites. A buffer that is not a ring buffer has a single slot.
//
// Method: search, with the rules of StageHazards.h; fewest slots first, then least far ahead.
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
  /// The total write-ahead distance, if the present one is known.
  std::optional<int64_t> ahead = {};
};

/// Returns nullopt if the search fails, if there is no loop, or if the slot indices of `buffer` are not analyzed.
std::optional<RingRepair> findRingRepair(const WarpPipeline &pipeline, const StageHazards &stages,
                                         mlir::Operation *buffer);

} // namespace hocket

#endif
