//===- StageSearch.h - Searches for the stages with the fewest clocks --------------===//
//
// Branch and bound: assigns the nodes to stages in program order. A partial plan is abandoned if it cannot become
// better than the worst of the best plans found; StageClocks.h computes the clocks of its slots. The clocks of a
// complete plan include waits for copies in flight (SchedulePlayer.h). Among plans with equal clocks, plans that divide
// the work more evenly are better. The search is repeated for each number of stages and each lag. The search is
// deterministic; a limit on the number of partial plans bounds its time.
//
// In a loop with many nodes, the search may stop before it finds the stages that the order of the program suggests: a
// stage for each sequence of accesses of memory, and one for each sequence of MMAs. If these stages satisfy all orders,
// they are added to the result:
//
//     read a, copy | MMA | read b, store | MMA          4 stages
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_STAGESEARCH_H
#define HOCKET_ANALYSIS_AUTO_STAGES_STAGESEARCH_H

#include "analysis/auto_stages/StageProblem.h"

namespace hocket {

struct StageSearchLimits {
  unsigned maxStages = 8, maxLag = 2;
  /// Maximum number of plans that the search keeps for each number of stages and each lag.
  unsigned plansEach = 3;
  /// Maximum number of partial plans to visit: for each number of stages and each lag, and for the whole search.
  int64_t visitsEach = 40'000, visitsInAll = 120'000;
  /// Maximum number of partial plans to visit for each number of stages and each lag, once a plan has reached the lower
  /// bound. Other plans can only divide the work more evenly.
  int64_t visitsAtBound = 4'000;
  /// Plans are skipped if their clocks exceed the clocks of the best plan found before by more than this percentage.
  int64_t percentLonger = 10;

  bool operator==(const StageSearchLimits &) const = default;
};

struct RatedPlan {
  StagePlan plan;
  /// Clocks of an iteration by StageClocks.h, and the clocks that SchedulePlayer.h adds in the steady state: waits for
  /// copies, and the end of an iteration.
  int64_t clocks = 0, waiting = 0;
  /// The result of StageClocks::unevenness for the stages of the plan.
  int64_t unevenness = 0;
  /// True if the plan keeps the order of the program.
  bool isInProgramOrder = false;

  std::pair<int64_t, int64_t> rank() const { return {clocks + waiting, unevenness}; }
};

struct StageSearchResult {
  /// The best plans, and plans in the order of the program, with their waits placed, in ascending order of their clocks.
  std::vector<RatedPlan> plans;
  /// True if the search has proven that no plan has fewer clocks than the first plan.
  bool isExact = true;
  /// Number of partial plans that were visited.
  int64_t visits = 0;
};

/// Returns the best plans. The results of the last searches are kept, because the compiler compiles a kernel once for
/// each of its best plans (hk.stage_choice).
StageSearchResult searchStages(const StageProblem &problem, const StageSearchLimits &limits = {});

} // namespace hocket

#endif
