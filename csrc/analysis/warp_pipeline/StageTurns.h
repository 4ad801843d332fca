//===- StageTurns.h - What is in order where groups take turns --------------------===//
//
// Exclusive stages (X) are for one of the two groups at a time: low, high, low, and so on. Elsewhere the groups run as
// fast as they can. In a loop of stages X and s:
//
//     time ->
//     low      X0 | s0     | X1 | s1     | X2 ..
//     high          | X0   | s0 | X1     | s1 ..
//
// Turn t of high begins when turn t of low has ended, turn t + 1 of low when turn t of high has. So low is past the
// beginning of turn t + 1 only if high is past the end of turn t: what stage `src` does is complete, for both groups,
// when the stage `distance` stages later begins, if among the stages from the one to the other, these two included, two
// are exclusive. (From low to high one would do.) A group's own warps meet where it begins a turn: what stays within
// groups needs one exclusive stage, after `src`.
//
// No IR is known here.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_STAGETURNS_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_STAGETURNS_H

#include "analysis/warp_pipeline/StageFences.h"

namespace hocket {

/// How many of the stages that count for `hazard` are exclusive. `exclusive[s]`: stage s of each iteration is.
int64_t countTurns(const std::vector<bool> &exclusive, const StageHazard &hazard);

/// How many must be.
int64_t neededTurns(const StageHazard &hazard);

inline bool isSettledByTurns(const std::vector<bool> &exclusive, const StageHazard &hazard) {
  return countTurns(exclusive, hazard) >= neededTurns(hazard);
}

} // namespace hocket

#endif
