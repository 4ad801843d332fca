//===- PingPongHazards.h - Order of stages in ping-pong pipelines ----------------------===//
//
// Exclusive stages (X) are executed by the two groups alternately: low, high, low, and so on. In other stages the
// groups run independently. In a loop of stages X and s:
//
//     time ->
//     low      X0 | s0     | X1 | s1     | X2 ...
//     high          | X0   | s0 | X1     | s1 ...
//
// The high group begins its t-th exclusive stage when the low group has ended its t-th exclusive stage, and the low
// group begins exclusive stage t + 1 when the high group has ended exclusive stage t. So the low group has begun
// exclusive stage t + 1 only if the high group is past exclusive stage t. Therefore the accesses of stage `src` are
// complete, in both groups, before the stage that is `distance` stages later begins, if at least two of the stages from
// one to the other, both included, are exclusive. (If the low group makes the first access, one exclusive stage would
// suffice.) The warps of a group synchronize at the beginning of an exclusive stage: a hazard within groups needs one
// exclusive stage after `src`.
//
// The analysis in this file does not depend on the IR.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_PINGPONGHAZARDS_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_PINGPONGHAZARDS_H

#include "analysis/warp_pipeline/StageFences.h"

namespace hocket {

/// Returns the number of exclusive stages from stage `src` of `hazard` to the other stage, both included; for a hazard
/// within groups, without `src`. `exclusive[s]` is true if stage s of each iteration is exclusive.
int64_t countExclusiveStages(const std::vector<bool> &exclusive, const StageHazard &hazard);

/// Returns the number of exclusive stages that `hazard` requires.
int64_t neededExclusiveStages(const StageHazard &hazard);

inline bool isSettledByPingPong(const std::vector<bool> &exclusive, const StageHazard &hazard) {
  return countExclusiveStages(exclusive, hazard) >= neededExclusiveStages(hazard);
}

} // namespace hocket

#endif
