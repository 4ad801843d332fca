//===- StageSearch.h - Searches the stages of a loop with the fewest clocks --------===//
//
// Branch and bound: assigns the nodes to stages in program order, and abandons a partial plan if the clocks of its
// slots (StageClocks.h) are not below those of the best plans found. The rank of a complete plan also contains the
// clocks for which it waits for copies in flight (SchedulePlayer.h); of plans with the same sum, those that divide the
// work evenly are better. The search is repeated for each number of stages and each lag. The search is deterministic; a
// limit on the number of partial plans bounds its time.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_STAGESEARCH_H
#define HOCKET_ANALYSIS_AUTO_STAGES_STAGESEARCH_H

#include "analysis/auto_stages/StageProblem.h"

namespace hocket {

struct StageSearchLimits {
  unsigned maxStages = 8, maxLag = 2;
  /// Plans to keep for each number of stages and each lag.
  unsigned plansEach = 3;
  /// Partial plans to visit for each number of stages and each lag, and for all together.
  int64_t visitsEach = 40'000, visitsInAll = 120'000;
  /// Partial plans to visit for each number of stages and each lag after a plan has been found that reaches the lower
  /// bound: others can only be more even.
  int64_t visitsAtBound = 4'000;
  /// Plans that take this much longer than the best plan found before are not searched.
  int64_t percentLonger = 10;
};

struct RatedPlan {
  StagePlan plan;
  /// Clocks of an iteration as StageClocks.h computes them, and clocks of waiting for copies in the steady state.
  int64_t clocks = 0, waiting = 0;
  /// StageClocks::unevenness.
  int64_t unevenness = 0;

  std::pair<int64_t, int64_t> rank() const { return {clocks + waiting, unevenness}; }
};

struct StageSearchResult {
  /// The best plans, with their waits placed, in ascending order of their clocks.
  std::vector<RatedPlan> plans;
  /// True if the first plan is certainly one with the fewest clocks: no search has reached its limit.
  bool isExact = true;
  /// Number of partial plans that were visited.
  int64_t visits = 0;
};

StageSearchResult searchStages(const StageProblem &problem, const StageSearchLimits &limits = {});

} // namespace hocket

#endif
