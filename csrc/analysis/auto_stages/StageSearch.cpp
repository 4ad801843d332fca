//===- StageSearch.cpp - Searches for the stages with the fewest clocks ------------===//
#include "analysis/auto_stages/StageSearch.h"

#include "analysis/auto_stages/SchedulePlayer.h"
#include "analysis/auto_stages/StageClocks.h"
#include "analysis/auto_stages/StageRegisters.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace hocket {

namespace {
/// The search for the best plans with a given number of stages and a given lag.
class Search {
public:
  /// Plans that take more than `longest` clocks are skipped. At most `mostVisits` partial plans are visited.
  Search(const StageProblem &problem, unsigned numStages, unsigned lag, const StageSearchLimits &limits,
         int64_t longest, int64_t mostVisits)
      : problem(problem), limits(limits), longest(longest), mostVisits(mostVisits), clocks(problem, numStages, lag),
        registers(problem, numStages), ordersOf(problem.nodes.size()) {
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
  /// True if a plan with rank `rank` would be among the best plans found.
  bool isWanted(std::pair<int64_t, int64_t> rank) const {
    if (rank.first > longest)
      return false;
    return found.size() < limits.plansEach || rank < found.back().rank();
  }
  /// True if the best plan found reaches the lower bound, so that no plan has fewer clocks. Other plans may divide the
  /// work more evenly.
  bool isAtBound() const { return !found.empty() && found.front().rank().first == bound; }
  void visit(unsigned node);
  void finish();

  const StageProblem &problem;
  const StageSearchLimits &limits;
  int64_t longest, mostVisits;
  StageClocks clocks;
  StageRegisters registers;
  std::vector<std::vector<StageOrder>> ordersOf; ///< ordering constraints between each node and earlier nodes
  StagePlan plan;
  int64_t bound = 0;
};
} // namespace

/// Returns the clocks for which the groups wait in the steady state of `plan`.
static int64_t waitingOf(const StageProblem &problem, const StagePlan &plan) {
  int64_t waiting = 0;
  for (const PlayedSchedule::Slot &slot : playSchedule(problem, plan).slots)
    waiting += slot.waiting + slot.ending;
  return waiting;
}

void Search::finish() {
  RatedPlan rated{plan, clocks.total(), 0, clocks.unevenness()};
  if (!isWanted(rated.rank()) || !placeWaits(problem, rated.plan))
    return;
  rated.waiting = waitingOf(problem, rated.plan);
  if (!isWanted(rated.rank()))
    return;
  auto place = std::ranges::upper_bound(found, rated.rank(), {}, &RatedPlan::rank);
  found.insert(place, std::move(rated));
  if (found.size() > limits.plansEach)
    found.pop_back();
}

void Search::visit(unsigned node) {
  if (node == problem.nodes.size())
    return finish();
  // The stages of `node` that satisfy the ordering constraints, sorted by the clocks of the resulting partial plan.
  std::vector<std::tuple<int64_t, int64_t, unsigned>> choices;
  for (unsigned stage = 0; stage < plan.numStages; ++stage) {
    plan.stageOf[node] = stage;
    if (!isKeptAt(node))
      continue;
    clocks.add(stage);
    choices.push_back({std::max(clocks.total(), bound), clocks.unevenness(), stage});
    clocks.remove();
  }
  std::ranges::sort(choices);
  for (auto [total, unevenness, stage] : choices) {
    if (!isWanted({total, unevenness}))
      return;
    plan.stageOf[node] = stage;
    clocks.add(stage);
    const bool fits = registers.most(clocks.stages()) <= problem.registerLimit;
    if (!fits) {
      clocks.remove();
      continue;
    }
    const bool isBest = isAtBound();
    if (visits >= (isBest ? std::min(limits.visitsAtBound, mostVisits) : mostVisits)) {
      isComplete = isBest;
      clocks.remove();
      return;
    }
    ++visits;
    visit(node + 1);
    clocks.remove();
  }
}

/// Returns the plan in which a stage begins with each access of memory that follows an MMA, and with each MMA that
/// follows an access of memory; nullopt if this plan does not satisfy all orders.
static std::optional<RatedPlan> planInProgramOrder(const StageProblem &problem, unsigned lag) {
  StagePlan plan{.numStages = 1, .lag = lag, .stageOf = {}, .waitSlots = {}, .outstanding = {}};
  std::optional<bool> isOfMmas;
  for (const StageNode &node : problem.nodes) {
    const bool isMma = node.unit == StageUnit::Matrix;
    if (node.clocks > 0 && node.unit != StageUnit::Vector) {
      plan.numStages += isOfMmas.value_or(isMma) != isMma;
      isOfMmas = isMma;
    }
    plan.stageOf.push_back(plan.numStages - 1);
  }
  if (plan.numStages <= lag ||
      !std::ranges::all_of(problem.orders, [&](const StageOrder &order) { return isKept(order, plan); }) ||
      StageRegisters(problem, plan.numStages).most(plan.stageOf) > problem.registerLimit || !placeWaits(problem, plan))
    return std::nullopt;
  StageClocks clocks(problem, plan.numStages, lag);
  for (unsigned stage : plan.stageOf)
    clocks.add(stage);
  const int64_t waiting = waitingOf(problem, plan);
  return RatedPlan{std::move(plan), clocks.total(), waiting, clocks.unevenness(), /*isInProgramOrder=*/true};
}

/// Adds plans in the order of the program to `plans`. Of equal plans, the plan in the order of the program is kept.
static void addPlansInProgramOrder(const StageProblem &problem, const StageSearchLimits &limits,
                                   std::vector<RatedPlan> &plans) {
  for (unsigned lag = 1; lag <= limits.maxLag; ++lag) {
    std::optional<RatedPlan> plan = planInProgramOrder(problem, lag);
    if (!plan || plan->plan.numStages > limits.maxStages)
      continue;
    std::erase_if(plans, [&](const RatedPlan &other) {
      return other.plan.numStages == plan->plan.numStages && other.plan.lag == lag &&
             other.plan.stageOf == plan->plan.stageOf;
    });
    plans.push_back(std::move(*plan));
  }
}

static StageSearchResult search(const StageProblem &problem, const StageSearchLimits &limits) {
  StageSearchResult result;
  int64_t longest = INT64_MAX, shortest = INT64_MAX;
  auto run = [&](unsigned numStages, unsigned lag) {
    // True if no plan with this number of stages has fewer clocks than the best plan found.
    const bool isReached = shortest <= lowerBound(problem, numStages);
    Search each(problem, numStages, lag, limits, longest,
                isReached ? limits.visitsAtBound
                          : std::min(limits.visitsEach, std::max<int64_t>(limits.visitsInAll - result.visits, 0)));
    each.run();
    result.visits += each.visits;
    result.isExact &= each.isComplete || isReached;
    if (!each.found.empty()) {
      shortest = std::min(shortest, each.found.front().rank().first);
      longest = shortest * (100 + limits.percentLonger) / 100;
    }
    std::ranges::move(each.found, std::back_inserter(result.plans));
  };
  // Stages of reads and stages of MMAs alternate, so even numbers of stages are more promising and are searched first.
  for (unsigned lag = 1; lag <= limits.maxLag; ++lag)
    for (unsigned first : {2u, 3u})
      for (unsigned numStages = first; numStages <= limits.maxStages; numStages += 2)
        if (numStages > lag)
          run(numStages, lag);
  addPlansInProgramOrder(problem, limits, result.plans);
  // Plans with equal clocks are sorted by the number of stages, then by the lag.
  std::ranges::sort(result.plans, {}, [](const RatedPlan &rated) {
    return std::tuple<int64_t, unsigned, unsigned, int64_t, const std::vector<unsigned> &>(
        rated.rank().first, rated.plan.numStages, rated.plan.lag, rated.unevenness, rated.plan.stageOf);
  });
  return result;
}

namespace {
/// The last searches with their results.
class SearchMemory {
public:
  std::optional<StageSearchResult> find(const StageProblem &problem, const StageSearchLimits &limits) {
    std::scoped_lock lock(mutex);
    for (const Entry &entry : entries)
      if (entry.problem == problem && entry.limits == limits)
        return entry.result;
    return std::nullopt;
  }

  void add(const StageProblem &problem, const StageSearchLimits &limits, const StageSearchResult &result) {
    std::scoped_lock lock(mutex);
    if (entries.size() >= kMostEntries)
      entries.pop_front();
    entries.push_back({problem, limits, result});
  }

private:
  /// Enough for the forms of several loops (RatedLoops.h), and for several threads.
  static constexpr size_t kMostEntries = 64;
  struct Entry {
    StageProblem problem;
    StageSearchLimits limits;
    StageSearchResult result;
  };
  std::mutex mutex;
  std::deque<Entry> entries;
};
} // namespace

StageSearchResult searchStages(const StageProblem &problem, const StageSearchLimits &limits) {
  static SearchMemory memory;
  if (std::optional<StageSearchResult> known = memory.find(problem, limits))
    return *known;
  StageSearchResult result = search(problem, limits);
  memory.add(problem, limits, result);
  return result;
}

} // namespace hocket
