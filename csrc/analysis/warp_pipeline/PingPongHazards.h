//===- PingPongHazards.h - Order of stages in ping-pong pipelines ----------------------===//
//
// Exclusive stages (X) are executed by the two groups alternately: low, high, low, and so on. In other stages the
// groups run independently. In a loop of stages X and s:
//
//     time ->
//     low      X0 | s0     | X1 | s1     | X2 ...
//     high          | X0   | s0 | X1     | s1 ...
//
// Exclusive stage t of high begins when that of low has ended, and exclusive stage t + 1 of low when stage t of high
// has ended. So low is past the beginning of t + 1 only if high is past the end of t: the accesses of stage `src` are
// complete, for both groups, when the stage `distance` stages later begins, if at least two of the stages from one to
// the other, inclusive, are exclusive. (From low to high one would suffice.) The warps of a group synchronize where it
// begins an exclusive stage: hazards within groups need one exclusive stage, after `src`.
//
// This analysis is independent of the IR.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_PINGPONGHAZARDS_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_PINGPONGHAZARDS_H

#include "analysis/warp_pipeline/StageFences.h"

namespace hocket {

/// Returns the number of exclusive stages among those that count for `hazard`. `exclusive[s]`: stage s of each
/// iteration is.
int64_t countExclusiveStages(const std::vector<bool> &exclusive, const StageHazard &hazard);

/// Returns the required number.
int64_t neededExclusiveStages(const StageHazard &hazard);

inline bool isSettledByPingPong(const std::vector<bool> &exclusive, const StageHazard &hazard) {
  return countExclusiveStages(exclusive, hazard) >= neededExclusiveStages(hazard);
}

} // namespace hocket

#endif
