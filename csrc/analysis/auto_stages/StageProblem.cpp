//===- StageProblem.cpp - The operations of a loop, to be divided into stages ------===//
#include "analysis/auto_stages/StageProblem.h"

#include <algorithm>

namespace hocket {

std::string_view nameOf(StageUnit unit) {
  static constexpr std::string_view kNames[kStageUnits] = {"matrix", "vector", "shared", "memory"};
  return kNames[size_t(unit)];
}

UnitClocks StageProblem::totalClocks() const {
  UnitClocks total{};
  for (const StageNode &node : nodes)
    total[size_t(node.unit)] += node.clocks;
  return total;
}

// Waits ---------------------------------------------------------------------------------------------------------------

/// Returns the number of the last group of copies that is committed before slot `slot`.
static int64_t lastGroupBefore(const StagePlan &plan, const std::vector<unsigned> &commits, int64_t slot) {
  int64_t previous = slot < 0 ? 1 : 0;
  int64_t stage = slot + previous * plan.numStages;
  auto isBefore = [&](unsigned node) { return int64_t(plan.stageOf[node]) < stage; };
  return int64_t(std::ranges::count_if(commits, isBefore)) - previous * int64_t(commits.size());
}

/// Returns the latest slot at which `wait` is early enough for all accesses that must follow the wait.
static int64_t latestSlot(const StageWait &wait, const StagePlan &plan) {
  int64_t latest = int64_t(plan.numStages) - 1;
  for (const StageArrival &arrival : wait.arrivals)
    latest =
        std::min(latest, arrival.iterations * plan.numStages + plan.stageOf[arrival.to] + 1 - arrival.needed(plan.lag));
  return latest;
}

bool placeWaits(const StageProblem &problem, StagePlan &plan) {
  plan.waitSlots.clear();
  plan.outstanding.clear();
  std::vector<bool> isTaken(plan.numStages, false);
  const int64_t count = plan.numStages;
  for (const StageWait &wait : problem.waits) {
    const std::vector<unsigned> &commits = problem.commits[wait.counter];
    int64_t slot = latestSlot(wait, plan);
    while (slot > -count && isTaken[size_t((slot + count) % count)])
      --slot;
    int64_t outstanding = slot > -count ? lastGroupBefore(plan, commits, slot) - wait.covers : -1;
    if (outstanding < 0)
      return false;
    isTaken[size_t((slot + count) % count)] = true;
    plan.waitSlots.push_back(slot);
    plan.outstanding.push_back(outstanding);
  }
  return true;
}

// Without stages ------------------------------------------------------------------------------------------------------

StagePlan planWithoutStages(const StageProblem &problem) {
  const unsigned count = unsigned(problem.nodes.size());
  // begins[i] is true if a barrier directly precedes node i.
  std::vector<bool> begins(count + 1, false);
  for (const StageWait &wait : problem.waits)
    begins[wait.position] = true;
  std::vector<StageOrder> conflicts;
  for (const StageOrder &order : problem.orders)
    if (order.iterations == 0 && order.distance != StageDistance::SameWarp && order.from < order.to)
      conflicts.push_back(order);
  std::ranges::sort(conflicts, {}, &StageOrder::to);
  for (const StageOrder &order : conflicts)
    if (std::find(begins.begin() + order.from + 1, begins.begin() + order.to + 1, true) ==
        begins.begin() + order.to + 1)
      begins[order.to] = true;
  StagePlan plan;
  plan.lag = 0;
  unsigned part = 0;
  for (unsigned node = 0; node < count; ++node) {
    part += node > 0 && begins[node];
    plan.stageOf.push_back(part);
  }
  plan.numStages = part + 1;
  for (const StageWait &wait : problem.waits) {
    int64_t slot = wait.position == 0 ? 0 : wait.position == count ? part + 1 : plan.stageOf[wait.position];
    plan.waitSlots.push_back(slot);
    plan.outstanding.push_back(lastGroupBefore(plan, problem.commits[wait.counter], slot) - wait.covers);
  }
  return plan;
}

} // namespace hocket
