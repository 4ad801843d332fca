//===- StageDecision.cpp - Decides whether and how a loop is divided into stages ---===//
#include "transforms/auto_stages/StageDecision.h"

#include "analysis/auto_stages/ExclusiveStages.h"
#include "analysis/auto_stages/StageClocks.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "target/Features.h"

using namespace mlir;

namespace hocket {

/// Maximum number of plans that are kept for trials and for the report, in addition to plans in the order of the program.
static constexpr size_t kPlansKept = 6;

bool StageDecision::isWorthwhile(size_t index) const {
  return plans[index].played.clocks * (100 + kModelErrorPercent) < plain.played.clocks * 100;
}

StageDecision rateStages(scf::ForOp loop, const MemoryAliases &aliases, const DivisibleExchanges &exchanges,
                         const StageRating &rating) {
  StageDecision decision;
  std::variant<LoopGraph, StageRefusal> graph = graphOf(loop, aliases, exchanges);
  if (auto *refusal = std::get_if<StageRefusal>(&graph)) {
    decision.reason = refusal->reason;
    decision.at = refusal->at;
    return decision;
  }
  const StageProblem &problem = decision.graph.emplace(std::move(std::get<LoopGraph>(graph))).problem;
  if (problem.nodes.size() > rating.mostNodes) {
    decision.reason = "the loop has more than " + std::to_string(rating.mostNodes) + " operations";
    return decision;
  }
  StageSearchResult found = searchStages(problem, rating.limits);
  decision.isExact = found.isExact;
  std::vector<StagePlan> plans;
  for (const RatedPlan &rated : found.plans) {
    plans.push_back(rated.plan);
    decision.plans.push_back({rated.plan, playSchedule(problem, rated.plan), rated.isInProgramOrder});
  }
  if (kNamedBarriers.isOn(hk::targetOf(loop)))
    for (const StagePlan &plan : plansWithExclusiveMmas(problem, plans))
      decision.plans.push_back({plan, playSchedule(problem, plan)});
  // The sort is stable: equivalent plans remain in the order of the search. Exclusive stages are preferred among plans
  // with equal clocks, because the groups wait for each other less often.
  llvm::stable_sort(decision.plans, [](const PlayedPlan &a, const PlayedPlan &b) {
    auto rankOf = [](const PlayedPlan &each) {
      return std::tuple(each.played.clocks, !each.plan.isPingPong(), each.plan.numStages, each.plan.lag);
    };
    return rankOf(a) < rankOf(b);
  });
  size_t rank = 0;
  llvm::erase_if(decision.plans,
                 [&](const PlayedPlan &each) { return rank++ >= kPlansKept && !each.isInProgramOrder; });
  StagePlan plain = planWithoutStages(problem);
  decision.plain = {plain, playSchedule(problem, plain)};
  if (decision.plans.empty()) {
    decision.reason =
        "no division into stages keeps the order of its accesses of shared memory; rings of more buffers might help";
    return decision;
  }
  const StagePlan &best = decision.plans.front().plan;
  const auto numBarriers = best.isPingPong() ? llvm::count(best.exclusive, true) : best.numStages;
  decision.bound = lowerBound(problem, unsigned(numBarriers), &decision.limit);
  return decision;
}

std::vector<std::string> labelsOf(const StageProblem &problem, const StagePlan &plan) {
  std::vector<UnitClocks> units(plan.numStages);
  std::vector<bool> isEmpty(plan.numStages, true);
  for (auto [node, stage] : llvm::enumerate(plan.stageOf)) {
    units[stage][size_t(problem.nodes[node].unit)] += problem.nodes[node].clocks;
    isEmpty[stage] = false;
  }
  std::vector<std::string> labels;
  for (unsigned stage = 0; stage < plan.numStages; ++stage) {
    auto busiest = StageUnit(llvm::max_element(units[stage]) - units[stage].begin());
    std::string name = isEmpty[stage] ? "pause" : std::string(nameOf(busiest));
    auto isSame = [&](const std::string &label) { return label == name || StringRef(label).starts_with(name + " "); };
    auto earlier = llvm::count_if(labels, isSame);
    labels.push_back(earlier == 0 ? name : name + " " + std::to_string(earlier + 1));
  }
  return labels;
}

std::optional<std::vector<int>> prioritiesOf(const StageProblem &problem, const StagePlan &plan) {
  std::vector<int> priorities(plan.numStages, 1);
  for (auto [node, stage] : llvm::enumerate(plan.stageOf))
    if (problem.nodes[node].unit == StageUnit::Matrix)
      priorities[stage] = 0;
  bool differ = llvm::is_contained(priorities, 0) && llvm::is_contained(priorities, 1);
  return differ ? std::optional(priorities) : std::nullopt;
}

} // namespace hocket
