//===- PingPongHazards.h - Order of stages in ping-pong pipelines ----------------------===//
//
// The groups execute exclusive stages (X) one after the other: group 0, group 1, and so on to the last group, then group
// 0 again. The groups execute other stages (s) independently. Example of a loop with an exclusive stage X and another
// stage s, with two groups:
//
//     time ->
//     group 0   X0 | s0     | X1 | s1     | X2 ...
//     group 1        | X0   | s0 | X1     | s1 ...
//
// Group g > 0 begins its exclusive stage t after group g - 1 has ended its exclusive stage t. Group 0 begins exclusive
// stage t + 1 after the last group has ended exclusive stage t. So a group has begun exclusive stage t + 1 only if all
// groups are past exclusive stage t. Consider a stage that is `distance` stages after stage `src`. If at least two of
// the stages from `src` to that stage, both included, are exclusive, all groups have completed the accesses of stage
// `src` before the later stage begins. (If the group that makes the first access precedes the other group, one
// exclusive stage would suffice.) The warps of a group synchronize at the beginning of an exclusive stage, so a hazard
// within groups needs one exclusive stage after `src`.
//
// The analysis in this file does not depend on the IR.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_PINGPONGHAZARDS_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_PINGPONGHAZARDS_H

#include "analysis/warp_pipeline/StageFences.h"

namespace hocket {

/// Returns the number of exclusive stages from stage `src` of `hazard` to the other stage of the hazard. The count
/// includes both stages; for a hazard within groups, the count excludes `src`. `exclusive[s]` is true if stage s of
/// each iteration is exclusive.
int64_t countExclusiveStages(const std::vector<bool> &exclusive, const StageHazard &hazard);

/// Returns the number of exclusive stages that `hazard` requires.
int64_t neededExclusiveStages(const StageHazard &hazard);

inline bool isSettledByPingPong(const std::vector<bool> &exclusive, const StageHazard &hazard) {
  return countExclusiveStages(exclusive, hazard) >= neededExclusiveStages(hazard);
}

} // namespace hocket

#endif
