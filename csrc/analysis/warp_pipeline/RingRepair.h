//===- RingRepair.h - How many slots a ring of a warp pipeline needs ---------------===//
//
// For a buffer whose accesses are too close: with how many slots, and written how many iterations further ahead, all of
// them would be far enough apart. Lag 1, three stages:
//
//     load <- ring[k % 2]    compute    store -> ring[(k + 1) % 2]
//
// What is stored is loaded in the next stage: 1, but 2 are needed. More slots change nothing about that. Written one
// iteration further ahead, into ring[(k + 2) % 2], it is loaded 4 stages later; and the store is 2 stages after the
// load of what it overwrites. A buffer that is not a ring is one of a single slot.
//
// Method: try, with the rules of StageHazards.h. Fewest slots first, then least far ahead.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_RINGREPAIR_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_RINGREPAIR_H

#include "analysis/warp_pipeline/StageHazards.h"

namespace hocket {

struct RingRepair {
  int64_t slots = 0, slotsNow = 0;
  /// More iterations than now between what writes a slot and what reads it.
  int64_t furtherAhead = 0;
  /// The same in all, if it is known what it is now.
  std::optional<int64_t> ahead = {};
};

/// Nothing if there is no such number, or no loop, or if what selects the slots of `buffer` is not understood.
std::optional<RingRepair> findRingRepair(const WarpPipeline &pipeline, const StageHazards &stages,
                                         mlir::Operation *buffer);

} // namespace hocket

#endif
