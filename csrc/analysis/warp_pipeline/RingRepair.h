//===- RingRepair.h - Number of slots that a ring buffer of a warp pipeline needs --===//
//
// If two accesses of a buffer are in stages that are too close to each other for a fence, the search finds a repair: a
// number of slots, and a number of iterations by which the kernel must write earlier. Example with lag 1 and three
// stages:
//
//     load <- ring[k % 2]    compute    store -> ring[(k + 1) % 2]
//
// The next stage loads the stored data: the distance from the store to the load is 1 stage, but must be 2 stages. More
// slots do not change the distance between the store and the load. If the kernel stores one iteration earlier, to
// ring[(k + 2) % 2], the load is 4 stages after the store. The store is then 2 stages after the load of the data that
// the store overwrites. A buffer that is not a ring buffer has a single slot.
//
// Method: the search tries numbers of slots in ascending order. For each number of slots, the search tries numbers of
//         iterations to write earlier in ascending order, until the rules of StageHazards.h are satisfied.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_RINGREPAIR_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_RINGREPAIR_H

#include "analysis/warp_pipeline/StageHazards.h"

namespace hocket {

struct RingRepair {
  int64_t slots = 0, slotsNow = 0;
  /// Number of iterations by which the kernel must write each slot earlier than it does without the repair.
  int64_t furtherAhead = 0;
  /// Number of iterations between the write and the read of a slot after the repair; nullopt if unknown.
  std::optional<int64_t> ahead = {};
};

/// Returns the smallest number of slots with which `buffer` can satisfy the rules of StageHazards.h, and the number of
/// iterations by which the kernel must then write earlier. Returns nullopt if the search fails, if the pipeline has no
/// loop, or if the analysis cannot determine the slot indices of `buffer`.
std::optional<RingRepair> findRingRepair(const WarpPipeline &pipeline, const StageHazards &stages,
                                         mlir::Operation *buffer);

} // namespace hocket

#endif
