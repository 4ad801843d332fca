//===- StageDecision.h - Decides whether and how a loop is divided into stages -----===//
#ifndef HOCKET_TRANSFORMS_AUTO_STAGES_STAGEDECISION_H
#define HOCKET_TRANSFORMS_AUTO_STAGES_STAGEDECISION_H

#include "analysis/auto_stages/LoopGraph.h"
#include "analysis/auto_stages/SchedulePlayer.h"

namespace hocket {

/// Error of the model's estimates, in percent: a smaller gain is not worth stages. Estimates of hand-written schedules
/// differ from measured ones by 3 to 7 percent.
inline constexpr int64_t kModelErrorPercent = 7;

struct PlayedPlan {
  StagePlan plan;
  PlayedSchedule played;
};

struct StageDecision {
  std::optional<LoopGraph> graph;
  /// The loop without stages.
  PlayedPlan plain;
  /// The best plans in ascending order of their clocks.
  std::vector<PlayedPlan> plans;
  /// Clocks that no plan with the number of stages of the best one can go below, and the unit that limits them; without
  /// a unit, the time in which a group issues its operations does.
  int64_t bound = 0;
  std::optional<StageUnit> limit;
  /// True if the search was complete.
  bool isExact = true;
  /// Index of the plan that is used; nullopt if the loop keeps no stages.
  std::optional<size_t> chosen;
  /// The reason why there are no stages; empty if there are.
  std::string reason;
  /// The operation that is the reason; null if it is the loop.
  mlir::Operation *at = nullptr;

  /// True if the estimate for plan `index` is better than that without stages by more than the model's error.
  bool isWorthwhile(size_t index) const;
};

/// Analyzes `loop`, and rates plans; `chosen` is not set.
StageDecision rateStages(mlir::scf::ForOp loop, const MemoryAliases &aliases);

/// Returns a label for each stage of `plan`: the unit that it occupies longest, with a number if labels repeat; "pause"
/// for an empty stage.
std::vector<std::string> labelsOf(const StageProblem &problem, const StagePlan &plan);

/// Returns the priority of each stage of `plan`: stages without MMAs have a higher priority, because the results of
/// their operations take longer. nullopt if all stages would have the same priority.
std::optional<std::vector<int>> prioritiesOf(const StageProblem &problem, const StagePlan &plan);

/// Turns the body of `loop` into the stages of `plan`. `graph` is that of `loop`.
void writeStages(mlir::scf::ForOp loop, const LoopGraph &graph, const StagePlan &plan);

/// Returns the report on the decision, as JSON. The loop has not been changed.
std::string reportOf(mlir::scf::ForOp loop, const StageDecision &decision);

} // namespace hocket

#endif
