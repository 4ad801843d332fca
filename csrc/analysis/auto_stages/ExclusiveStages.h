//===- ExclusiveStages.h - Plans whose stages with MMAs are exclusive ---------------===//
//
// A plan of StageSearch.h assumes slots, in which both groups of warps are in different stages. With exclusive stages,
// the groups synchronize less often, and another division may be better. The function below therefore starts with the
// stages of such a plan, and moves one node at a time to another stage while the simulated clocks decrease. Then the
// function moves nodes other than MMAs out of exclusive stages while the clocks do not increase noticeably, because the
// other group waits for the end of an exclusive stage.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_EXCLUSIVESTAGES_H
#define HOCKET_ANALYSIS_AUTO_STAGES_EXCLUSIVESTAGES_H

#include "analysis/auto_stages/StageProblem.h"

namespace hocket {

/// Returns the best plans that have the stages of a plan in `plans`, with exclusive stages for the MMAs, and the plans in
/// which all MMAs are in one stage. Plans that do not satisfy the orders of `problem` are left out.
std::vector<StagePlan> plansWithExclusiveMmas(const StageProblem &problem, const std::vector<StagePlan> &plans);

} // namespace hocket

#endif
