//===- StageSearch.cpp - Searches the stages of a loop with the fewest clocks ------===//
#include "analysis/auto_stages/StageSearch.h"

#include "analysis/auto_stages/StageClocks.h"

#include <algorithm>

namespace hocket {

namespace {
/// The search for one number of stages and one lag.
class Search {
public:
  Search(const StageProblem &problem, unsigned numStages, unsigned lag, const StageSearchLimits &limits)
      : problem(problem), limits(limits), clocks(problem, numStages, lag), ordersOf(problem.nodes.size()) {
    plan.numStages = numStages;
    plan.lag = lag;
    plan.stageOf.assign(problem.nodes.size(), 0);
    for (const StageOrder &order : problem.orders)
      ordersOf[std::max(order.from, order.to)].push_back(order);
    for (const StageUse &use : problem.uses)
      if (use.iterations == 0)
        ordersOf[use.to].push_back({use.from, use.to, 0, StageDistance::SameWarp});
    bound = lowerBound(problem, numStages);
  }

  void run() { visit(0); }

  std::vector<RatedPlan> found;
  int64_t visits = 0;
  bool isComplete = true;

private:
  bool isKeptAt(unsigned node) const {
    return std::ranges::all_of(ordersOf[node], [&](const StageOrder &order) { return isKept(order, plan); });
  }
  /// True if a plan of these clocks would be among the best.
  bool isWanted(int64_t total) const { return found.size() < limits.plansEach || total < found.back().clocks; }
  void visit(unsigned node);
  void finish();

  const StageProblem &problem;
  const StageSearchLimits &limits;
  StageClocks clocks;
  std::vector<std::vector<StageOrder>> ordersOf; ///< the orders between each node and earlier ones
  StagePlan plan;
  int64_t bound = 0;
};
} // namespace

void Search::finish() {
  RatedPlan rated{plan, clocks.total()};
  if (!isWanted(rated.clocks) || !placeWaits(problem, rated.plan))
    return;
  auto place = std::ranges::upper_bound(found, rated.clocks, {}, &RatedPlan::clocks);
  found.insert(place, std::move(rated));
  if (found.size() > limits.plansEach)
    found.pop_back();
}

void Search::visit(unsigned node) {
  if (node == problem.nodes.size())
    return finish();
  // The stages that keep the orders, those with the fewest clocks first.
  std::vector<std::pair<int64_t, unsigned>> choices;
  for (unsigned stage = 0; stage < plan.numStages; ++stage) {
    plan.stageOf[node] = stage;
    if (!isKeptAt(node))
      continue;
    clocks.add(stage);
    choices.push_back({std::max(clocks.total(), bound), stage});
    clocks.remove();
  }
  std::ranges::sort(choices);
  for (auto [total, stage] : choices) {
    if (!isWanted(total))
      return;
    if (visits >= limits.visitsEach) {
      isComplete = false;
      return;
    }
    ++visits;
    plan.stageOf[node] = stage;
    clocks.add(stage);
    visit(node + 1);
    clocks.remove();
  }
}

StageSearchResult searchStages(const StageProblem &problem, const StageSearchLimits &limits) {
  StageSearchResult result;
  for (unsigned lag = 1; lag <= limits.maxLag; ++lag)
    for (unsigned numStages = lag + 1; numStages <= limits.maxStages; ++numStages) {
      Search search(problem, numStages, lag, limits);
      search.run();
      result.visits += search.visits;
      result.isExact &= search.isComplete;
      std::ranges::move(search.found, std::back_inserter(result.plans));
    }
  // Plans with fewer stages and a smaller lag precede others with the same clocks.
  std::ranges::sort(result.plans, {}, [](const RatedPlan &rated) {
    return std::tuple<int64_t, unsigned, unsigned, const std::vector<unsigned> &>(rated.clocks, rated.plan.numStages,
                                                                                  rated.plan.lag, rated.plan.stageOf);
  });
  return result;
}

} // namespace hocket
