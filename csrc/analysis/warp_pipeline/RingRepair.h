//===- RingRepair.h - Number of slots that a ring buffer of a warp pipeline needs --===//
//
// If a buffer is accessed in stages that are too close to each other for a fence, the search finds a repair: a number
// of slots, and a number of iterations by which the kernel must write earlier. Example with lag 1 and three stages:
//
//     load <- ring[k % 2]    compute    store -> ring[(k + 1) % 2]
//
// The stored data are loaded in the next stage: the distance is 1, but must be 2. More slots do not change the distance
// between the store and the load. If the kernel stores one iteration earlier, to ring[(k + 2) % 2], the data are loaded
// 4 stages later. The store is then 2 stages after the load of the data that the store overwrites. A buffer that is not
// a ring buffer has a single slot.
//
// Method: tries numbers of slots in ascending order. For each number, tries distances to write ahead in ascending
//         order, until the rules of StageHazards.h are satisfied.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_RINGREPAIR_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_RINGREPAIR_H

#include "analysis/warp_pipeline/StageHazards.h"

namespace hocket {

struct RingRepair {
  int64_t slots = 0, slotsNow = 0;
  /// Number of iterations by which the kernel must write a slot earlier than it does.
  int64_t furtherAhead = 0;
  /// Number of iterations between write and read after the repair; nullopt if unknown.
  std::optional<int64_t> ahead = {};
};

/// Returns the smallest number of slots, and the distance to write ahead, with which `buffer` satisfies the rules of
/// StageHazards.h. Returns nullopt if the search fails, if the pipeline has no loop, or if the analysis cannot
/// determine the slot indices of `buffer`.
std::optional<RingRepair> findRingRepair(const WarpPipeline &pipeline, const StageHazards &stages,
                                         mlir::Operation *buffer);

} // namespace hocket

#endif
