//===- ExclusiveStages.cpp - Plans whose stages with MMAs are exclusive -------------===//
#include "analysis/auto_stages/ExclusiveStages.h"

#include "analysis/auto_stages/SchedulePlayer.h"
#include "analysis/auto_stages/StageRegisters.h"
#include "analysis/warp_pipeline/PingPongHazards.h"

#include <algorithm>

namespace hocket {

static bool isMma(const StageProblem &problem, unsigned node) { return problem.nodes[node].unit == StageUnit::Matrix; }

/// True if the exclusive stages of `plan` satisfy the orders and uses of `problem`, and results fit into registers.
static bool isLegal(const StageProblem &problem, const StagePlan &plan) {
  auto distanceOf = [&](const auto &pair) {
    return pair.iterations * plan.numStages + plan.stageOf[pair.to] - plan.stageOf[pair.from];
  };
  auto isKept = [&](const StageOrder &order) {
    const unsigned lag = order.distance == StageDistance::WithinGroup ? 0 : 1;
    const StageHazard hazard{plan.stageOf[order.from], distanceOf(order), lag};
    return order.distance == StageDistance::SameWarp ? hazard.distance >= 0
                                                     : isSettledByPingPong(plan.exclusive, hazard);
  };
  return std::ranges::all_of(problem.orders, isKept) &&
         std::ranges::all_of(problem.uses, [&](const StageUse &use) { return distanceOf(use) >= 0; }) &&
         StageRegisters(problem, plan.numStages).most(plan.stageOf) <= problem.registerLimit;
}

/// Moves one node of `plan` to another stage that `isBetter` accepts. Returns true if `plan` has changed.
template <typename IsBetter>
static bool moveNode(const StageProblem &problem, StagePlan &plan, IsBetter isBetter) {
  // Later nodes are moved first, because an earlier node may have to precede them.
  for (unsigned node = unsigned(problem.nodes.size()); node-- > 0;)
    for (unsigned stage = 0; stage < plan.numStages; ++stage) {
      if (isMma(problem, node) || stage == plan.stageOf[node])
        continue;
      StagePlan moved = plan;
      moved.stageOf[node] = stage;
      if (isLegal(problem, moved) && isBetter(moved, node)) {
        plan = std::move(moved);
        return true;
      }
    }
  return false;
}

/// Moves nodes of `plan` to other stages as described in the header.
static void improve(const StageProblem &problem, StagePlan &plan) {
  int64_t clocks = playSchedule(problem, plan).clocks;
  auto isFaster = [&](const StagePlan &moved, unsigned) {
    const int64_t movedClocks = playSchedule(problem, moved).clocks;
    const bool isBetter = movedClocks < clocks;
    clocks = std::min(clocks, movedClocks);
    return isBetter;
  };
  while (moveNode(problem, plan, isFaster))
    ;
  // A difference of 4 percent is below the error of the model.
  const int64_t limit = clocks + clocks / 25;
  auto leavesExclusiveStage = [&](const StagePlan &moved, unsigned node) {
    return plan.exclusive[plan.stageOf[node]] && !plan.exclusive[moved.stageOf[node]] &&
           playSchedule(problem, moved).clocks <= limit;
  };
  while (moveNode(problem, plan, leavesExclusiveStage))
    ;
}

/// Appends `plan` to `found`, with exclusive stages for the MMAs. Leaves out plans that are not legal, or are in `found`.
static void addExclusive(const StageProblem &problem, StagePlan plan, std::vector<StagePlan> &found) {
  plan.exclusive.assign(plan.numStages, false);
  for (unsigned node = 0; node < problem.nodes.size(); ++node)
    if (isMma(problem, node))
      plan.exclusive[plan.stageOf[node]] = true;
  // Without exclusive stages, the groups would never synchronize; with exclusive stages only, they would never overlap.
  const bool isMixed = std::ranges::count(plan.exclusive, true) % plan.numStages != 0;
  auto isSame = [&](const StagePlan &other) {
    return other.numStages == plan.numStages && other.stageOf == plan.stageOf;
  };
  if (isMixed && isLegal(problem, plan) && std::ranges::none_of(found, isSame))
    found.push_back(std::move(plan));
}

std::vector<StagePlan> plansWithExclusiveMmas(const StageProblem &problem, const std::vector<StagePlan> &plans) {
  // With more stages, the groups would synchronize more often than necessary.
  constexpr unsigned kMostStages = 4;
  constexpr size_t kMostImproved = 3;
  std::vector<StagePlan> found;
  for (const StagePlan &plan : plans) {
    if (!problem.waits.empty() || plan.lag != 1 || plan.numStages > kMostStages)
      continue;
    addExclusive(problem, plan, found);
    // A plan for slots may distribute MMAs over all stages.
    for (unsigned stage = 0; stage < plan.numStages; ++stage) {
      StagePlan gathered = plan;
      for (unsigned node = 0; node < problem.nodes.size(); ++node)
        if (isMma(problem, node))
          gathered.stageOf[node] = stage;
      addExclusive(problem, std::move(gathered), found);
    }
  }
  std::ranges::stable_sort(found, {}, [&](const StagePlan &plan) { return playSchedule(problem, plan).clocks; });
  if (found.size() > kMostImproved)
    found.resize(kMostImproved);
  for (StagePlan &plan : found)
    improve(problem, plan);
  return found;
}

} // namespace hocket
