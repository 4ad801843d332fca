//===- StageDecision.h - Decides whether and how a loop is divided into stages -----===//
#ifndef HOCKET_TRANSFORMS_AUTO_STAGES_STAGEDECISION_H
#define HOCKET_TRANSFORMS_AUTO_STAGES_STAGEDECISION_H

#include "analysis/auto_stages/LoopGraph.h"
#include "analysis/auto_stages/SchedulePlayer.h"
#include "analysis/auto_stages/StageSearch.h"
#include "transforms/auto_stages/DivideMmas.h"

namespace hocket {

/// Error of the model's estimates, in percent. The pass forms no stages whose gain is below this error. For
/// hand-written schedules, estimates and measurements differ by 3 to 7 percent.
inline constexpr int64_t kModelErrorPercent = 7;

struct PlayedPlan {
  StagePlan plan;
  PlayedSchedule played;
  /// True if the plan keeps the order of the program (StageSearch.h).
  bool isInProgramOrder = false;
};

struct StageDecision {
  std::optional<LoopGraph> graph;
  /// The parts into which each MMA is divided.
  MmaParts parts;
  /// Estimate for the loop without stages.
  PlayedPlan plain;
  /// The best plans, and plans in the order of the program, with their estimates, in ascending order of clocks.
  std::vector<PlayedPlan> plans;
  /// Lower bound for the clocks of any plan with the same number of barriers as the best plan, and the unit that
  /// determines the bound. `limit` is nullopt if the time in which a group issues its operations determines the bound.
  int64_t bound = 0;
  std::optional<StageUnit> limit;
  /// True if every search for plans was complete, i.e. none stopped early at its limit.
  bool isExact = true;
  /// Number of candidates among which hk.stage_choice chooses, and the value of hk.stage_choice if the module has it.
  size_t numChoices = 0;
  std::optional<int64_t> choice;
  /// Index of the plan that is used; nullopt if no stages are formed.
  std::optional<size_t> chosen;
  /// The reason why no stages are formed; empty if stages are formed.
  std::string reason;
  /// The operation that prevents stages; null if the reason concerns the whole loop.
  mlir::Operation *at = nullptr;

  /// True if the estimate for plan `index` is better than the estimate without stages by more than the model's error.
  bool isWorthwhile(size_t index) const;
};

/// Limits of rateStages. No plans are rated if the graph of the loop has more than `mostNodes` nodes.
struct StageRating {
  size_t mostNodes = kMaxStageNodes;
  StageSearchLimits limits;
};

/// Analyzes `loop`, and rates plans; does not set `chosen` of the result.
StageDecision rateStages(mlir::scf::ForOp loop, const MemoryAliases &aliases, const DivisibleExchanges &exchanges,
                         const StageRating &rating);

/// Returns a label for each stage of `plan`: the unit that the stage occupies longest, with a number if labels repeat;
/// "pause" for an empty stage.
std::vector<std::string> labelsOf(const StageProblem &problem, const StagePlan &plan);

/// Returns the priority of each stage of `plan`; nullopt if all stages would have the same priority. Stages without
/// MMAs have a higher priority, because their operations have longer latencies.
std::optional<std::vector<int>> prioritiesOf(const StageProblem &problem, const StagePlan &plan);

/// Turns the body of `loop`, whose graph is `graph`, into the stages of `plan`.
void writeStages(mlir::scf::ForOp loop, const LoopGraph &graph, const StagePlan &plan);

/// Returns the report on the decision, as JSON. The function must be called before `loop` is changed.
std::string reportOf(mlir::scf::ForOp loop, const StageDecision &decision);

} // namespace hocket

#endif
