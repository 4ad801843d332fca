//===- StageSearchTest.cpp - The search for stages against exhaustive search -------------===//
#include "analysis/auto_stages/StageSearch.h"
#include "StageProblems.h"
#include "analysis/auto_stages/SchedulePlayer.h"
#include "analysis/auto_stages/StageClocks.h"
#include "analysis/auto_stages/StageRegisters.h"

#include <gtest/gtest.h>
#include <random>

using namespace hocket;

namespace {

/// The clocks of a stage that one group executes alone, written as StageClocks.h and IssueTimes.h define them.
int64_t aloneIn(const StageProblem &problem, const std::vector<unsigned> &stageOf, unsigned stage) {
  std::map<unsigned, std::pair<int64_t, int64_t>> available; // the first part of the results, and all of them
  std::array<int64_t, kStageUnits> freeAt{};
  int64_t cursor = 0, end = 0, mmas = 0, ordered = 0, spare = 0;
  for (unsigned node = 0; node < problem.nodes.size(); ++node) {
    if (stageOf[node] != stage)
      continue;
    const StageNode &what = problem.nodes[node];
    const bool isVector = what.unit == StageUnit::Vector, isMovable = isVector && !what.hasBranches;
    // Arithmetic moves into the spare clocks of earlier MMAs, and an MMA moves before arithmetic that then fills its own
    // spare clocks.
    int64_t start = isMovable ? cursor - spare : std::max(ordered, cursor - what.spare), last = 0;
    start = std::max({start, what.isArrival ? mmas : 0, isVector ? 0 : freeAt[size_t(what.unit)]});
    for (const StageUse &use : problem.uses)
      if (use.to == node && use.iterations == 0 && available.contains(use.from)) {
        auto [first, all] = available[use.from];
        // The hardware accumulates to the result of an MMA in flight.
        if (what.isAsync && problem.nodes[use.from].isAsync)
          all -= problem.nodes[use.from].latency;
        start = std::max(start, what.parts > 1 ? first : all);
        last = std::max(last, all);
      }
    int64_t done = std::max(start + what.clocks, last + what.clocks / what.parts);
    freeAt[size_t(what.unit)] = done;
    const int64_t moved = std::max<int64_t>(0, cursor - (done - what.clocks));
    if (isMovable) {
      const int64_t beside = std::min({moved, spare, what.issue});
      cursor = std::max(cursor, done - what.clocks) + what.issue - beside;
      spare -= beside;
    } else {
      cursor = ordered = std::max(cursor, done - what.clocks + what.issue);
      spare = what.unit == StageUnit::Matrix ? spare + what.spare - std::min(moved, what.spare) : 0;
    }
    available[node] = {done - what.clocks + what.clocks / 8 + what.latency, done + what.latency};
    end = std::max(end, cursor);
    if (what.isAsync)
      mmas = std::max(mmas, done + what.latency);
    if (what.endsInStage || what.isAsync)
      end = std::max(end, done + what.latency);
  }
  return end;
}

int64_t clocksOf(const StageProblem &problem, const StagePlan &plan) {
  int64_t total = 0;
  // The results of a node are copied once, whatever the number of their uses; the first such use counts.
  std::map<unsigned, int64_t> copied;
  for (unsigned last = 0; last < problem.nodes.size(); ++last)
    for (const StageUse &use : problem.uses)
      if (use.iterations == 1 && std::max(use.from, use.to) == last && plan.stageOf[use.to] > plan.stageOf[use.from])
        copied.try_emplace(use.from, std::min(use.registers, problem.nodes[use.from].registers));
  for (auto [node, registers] : copied)
    total += registers * problem.moveClocks;
  auto ownOf = [&](unsigned stage) {
    UnitClocks own{};
    int64_t blocked = 0;
    bool leavesClocks = false;
    for (unsigned node = 0; node < problem.nodes.size(); ++node) {
      const StageNode &what = problem.nodes[node];
      if (plan.stageOf[node] != stage)
        continue;
      own[size_t(what.unit)] += what.clocks;
      blocked += what.spare > 0 ? what.clocks - what.spare : 0;
      leavesClocks |= what.spare > 0;
    }
    return std::tuple(own[size_t(StageUnit::Vector)], blocked, leavesClocks);
  };
  for (unsigned slot = 0; slot < plan.numStages; ++slot) {
    unsigned other = (slot + plan.numStages - plan.lag) % plan.numStages;
    auto [vector, blocked, leavesClocks] = ownOf(slot);
    auto [otherVector, otherBlocked, otherLeavesClocks] = ownOf(other);
    int64_t longest =
        std::max(aloneIn(problem, plan.stageOf, slot) + (leavesClocks && !otherLeavesClocks ? otherVector / 2 : 0),
                 aloneIn(problem, plan.stageOf, other) + (otherLeavesClocks && !leavesClocks ? vector / 2 : 0));
    longest = std::max(longest + problem.slotClocks, vector + otherVector + blocked + otherBlocked);
    for (unsigned unit = 0; unit < kStageUnits; ++unit) {
      int64_t busy = 0;
      for (unsigned node = 0; node < problem.nodes.size(); ++node)
        if (problem.nodes[node].unit == StageUnit(unit))
          busy += problem.nodes[node].clocks * ((plan.stageOf[node] == slot) + (plan.stageOf[node] == other));
      const bool isMemory = StageUnit(unit) == StageUnit::Shared || StageUnit(unit) == StageUnit::Memory;
      longest = std::max(longest, isMemory ? busy * 8 / 7 : busy);
    }
    UnitClocks own{};
    for (unsigned node = 0; node < problem.nodes.size(); ++node)
      if (plan.stageOf[node] == slot)
        own[size_t(problem.nodes[node].unit)] += problem.nodes[node].clocks;
    bool isMixed = own[size_t(StageUnit::Matrix)] && (own[size_t(StageUnit::Shared)] || own[size_t(StageUnit::Memory)]);
    total += longest + (isMixed ? problem.slotClocks : 0);
  }
  return total;
}

/// True if the plan keeps all orders, and if for each wait alone some slot is in time.
bool isLegal(const StageProblem &problem, const StagePlan &plan) {
  const int64_t count = plan.numStages;
  for (const StageUse &use : problem.uses)
    if (use.iterations == 0 && plan.stageOf[use.from] > plan.stageOf[use.to])
      return false;
  auto needed = [&](StageDistance distance) {
    return distance == StageDistance::SameWarp ? 0 : distance == StageDistance::WithinGroup ? 1 : int64_t(plan.lag) + 1;
  };
  for (const StageOrder &order : problem.orders)
    if (order.iterations * count + plan.stageOf[order.to] - plan.stageOf[order.from] < needed(order.distance))
      return false;
  if (problem.waits.empty())
    return true;
  const StageWait &wait = problem.waits.front();
  for (int64_t slot = 1 - count; slot < count; ++slot) {
    // The last stage before the slot, and the groups committed up to its end.
    int64_t commit = plan.stageOf[problem.commits[0][0]];
    int64_t committed = slot > commit ? 1 : slot + count > commit ? 0 : -1;
    bool isInTime = committed >= wait.covers;
    for (const StageArrival &arrival : wait.arrivals)
      isInTime &= arrival.iterations * count + plan.stageOf[arrival.to] - (slot - 1) >= needed(arrival.distance);
    if (isInTime)
      return true;
  }
  return false;
}

/// The clocks for which the plan waits for copies, if its waits are at their latest slots.
int64_t waitingOf(const StageProblem &problem, StagePlan plan) {
  placeWaits(problem, plan);
  int64_t waiting = 0;
  for (const PlayedSchedule::Slot &slot : playSchedule(problem, plan).slots)
    waiting += slot.waiting + slot.ending;
  return waiting;
}

std::optional<int64_t> fewestClocks(const StageProblem &problem, const StageSearchLimits &limits) {
  std::optional<int64_t> fewest;
  const unsigned count = unsigned(problem.nodes.size());
  for (unsigned lag = 1; lag <= limits.maxLag; ++lag)
    for (unsigned stages = lag + 1; stages <= limits.maxStages; ++stages) {
      StagePlan plan{stages, lag, std::vector<unsigned>(count, 0), {}, {}};
      while (true) {
        if (isLegal(problem, plan))
          fewest = std::min(fewest.value_or(INT64_MAX), clocksOf(problem, plan) + waitingOf(problem, plan));
        unsigned digit = 0;
        while (digit < count && ++plan.stageOf[digit] == stages)
          plan.stageOf[digit++] = 0;
        if (digit == count)
          break;
      }
    }
  return fewest;
}

/// A GEMM's loop: reads of a and b, copies two iterations ahead, an MMA.
StageProblem gemm() {
  StageProblem problem;
  StageNode read{StageUnit::Shared, 256, 32, 0, 64, 1, 0, true};
  problem.nodes = {read, read, {StageUnit::Memory, 256, 32, 0, 1000}, {StageUnit::Matrix, 1024, 1024, 0, 16, 4}};
  problem.uses = {{0, 3, 0}, {1, 3, 0}, {3, 3, 1}};
  problem.commits = {{2}};
  problem.waits = {{0, -1, 0, {{0, 0, StageDistance::BetweenGroups}, {1, 0, StageDistance::BetweenGroups}}}};
  problem.orders = {{0, 2, 1, StageDistance::BetweenGroups}, {1, 2, 1, StageDistance::BetweenGroups}};
  problem.slotClocks = 16;
  return problem;
}

} // namespace

TEST(StageSearch, AgreesWithExhaustiveSearch) {
  std::mt19937 random(34);
  StageSearchLimits limits;
  limits.maxStages = 4;
  int solved = 0;
  for (int round = 0; round < 400; ++round) {
    StageProblem problem = drawProblem(random, 2 + unsigned(round % 5));
    StageSearchResult found = searchStages(problem, limits);
    ASSERT_TRUE(found.isExact);
    std::optional<int64_t> fewest = fewestClocks(problem, limits);
    // The exhaustive search accepts any slot for the wait, searchStages takes the latest one. Either both find a slot,
    // or neither does.
    ASSERT_EQ(fewest.has_value(), !found.plans.empty()) << "round " << round;
    if (!fewest)
      continue;
    ++solved;
    EXPECT_EQ(found.plans.front().rank().first, *fewest) << "round " << round;
    for (const RatedPlan &rated : found.plans) {
      EXPECT_TRUE(isLegal(problem, rated.plan));
      EXPECT_EQ(rated.clocks, clocksOf(problem, rated.plan));
      EXPECT_GE(rated.clocks, lowerBound(problem, rated.plan.numStages));
    }
  }
  EXPECT_GT(solved, 100);
}

TEST(StageSearch, SplitsReadsFromMmas) {
  StageSearchResult found = searchStages(gemm());
  ASSERT_FALSE(found.plans.empty());
  const StagePlan &best = found.plans.front().plan;
  EXPECT_EQ(best.numStages, 2u);
  EXPECT_EQ(best.lag, 1u);
  EXPECT_EQ(best.stageOf, (std::vector<unsigned>{0, 0, 0, 1}));
  // The wait moves to the previous iteration, one stage before the reads.
  EXPECT_EQ(best.waitSlots, std::vector<int64_t>{-1});
  EXPECT_EQ(best.outstanding, std::vector<int64_t>{1});
  EXPECT_TRUE(found.isExact);
}

/// A loop over four quadrants: before each MMA, a read, and a store to the buffer that the previous MMA has used.
static StageProblem quadrants() {
  StageProblem problem;
  for (unsigned quadrant = 0; quadrant < 4; ++quadrant) {
    const unsigned read = 3 * quadrant;
    problem.nodes.push_back({StageUnit::Shared, 256, 32, 0, 64, 1, 0, true});
    problem.nodes.push_back({StageUnit::Shared, 64, 16, 0, 0, 1, 0, true});
    problem.nodes.push_back({StageUnit::Matrix, 512, 512, 0, 16, 4});
    problem.uses.push_back({read, read + 2, 0});
    problem.orders.push_back({read, (read + 4) % 12, read == 9, StageDistance::BetweenGroups});
  }
  problem.slotClocks = 16;
  return problem;
}

TEST(StageSearch, PlansInTheOrderOfTheProgramAreFoundWithoutASearch) {
  StageSearchLimits limits{.visitsEach = 0, .visitsInAll = 0, .visitsAtBound = 0};
  StageSearchResult found = searchStages(quadrants(), limits);
  // With a lag of 2, the store of the next quadrant is too close to the read.
  ASSERT_EQ(found.plans.size(), 1u);
  EXPECT_TRUE(found.plans.front().isInProgramOrder);
  EXPECT_EQ(found.plans.front().plan.lag, 1u);
  EXPECT_EQ(found.plans.front().plan.stageOf, (std::vector<unsigned>{0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7}));
  EXPECT_TRUE(isLegal(quadrants(), found.plans.front().plan));
  EXPECT_EQ(found.plans.front().clocks, clocksOf(quadrants(), found.plans.front().plan));
  EXPECT_FALSE(found.isExact);
}

TEST(StageSearch, NoPlanInTheOrderOfTheProgramViolatesAnOrder) {
  StageProblem problem = quadrants();
  problem.orders.push_back({0, 1, 0, StageDistance::BetweenGroups});
  StageSearchLimits limits{.visitsEach = 0, .visitsInAll = 0, .visitsAtBound = 0};
  EXPECT_TRUE(searchStages(problem, limits).plans.empty());
}

TEST(StageSearch, IsDeterministic) {
  std::mt19937 random(5);
  StageProblem problem = drawProblem(random, 24);
  StageSearchResult first = searchStages(problem), second = searchStages(problem);
  ASSERT_EQ(first.plans.size(), second.plans.size());
  for (size_t i = 0; i < first.plans.size(); ++i)
    EXPECT_EQ(first.plans[i].plan.stageOf, second.plans[i].plan.stageOf);
  EXPECT_EQ(first.visits, second.visits);
}

TEST(StageSearch, RemovingTheLastNodeRestoresTheClocks) {
  StageProblem problem = gemm();
  StageClocks clocks(problem, 2, 1);
  for (unsigned node = 0; node < 3; ++node)
    clocks.add(0);
  int64_t before = clocks.total();
  clocks.add(0);
  EXPECT_GT(clocks.total(), before);
  clocks.remove();
  EXPECT_EQ(clocks.total(), before);
}

/// A stage of an MMA of 16 instructions, and arithmetic of 200 clocks that does not depend on the MMA.
StageProblem mmaBesideArithmetic(bool mmaFirst) {
  StageProblem problem;
  StageNode mma{StageUnit::Matrix, 512, 484, 360, 16}, arithmetic{StageUnit::Vector, 200, 200};
  problem.nodes = mmaFirst ? std::vector{mma, arithmetic} : std::vector{arithmetic, mma};
  return problem;
}

TEST(StageClocks, ArithmeticIsIssuedBesideAnMma) {
  for (bool mmaFirst : {false, true}) {
    StageProblem problem = mmaBesideArithmetic(mmaFirst);
    StageClocks clocks(problem, 2, 1);
    clocks.add(0);
    clocks.add(0);
    EXPECT_EQ(clocks.slot(0), 512) << mmaFirst;
  }
  StageProblem problem = mmaBesideArithmetic(true);
  problem.uses = {{0, 1, 0}}; // the arithmetic waits for the result of the MMA
  StageClocks clocks(problem, 2, 1);
  clocks.add(0);
  clocks.add(0);
  EXPECT_EQ(clocks.slot(0), 512 + 16 + 200) << "instead of 512, the clocks of the matrix unit";
}

TEST(StageClocks, ArithmeticBesideTheOtherGroupsMmaDelaysIt) {
  StageProblem problem = mmaBesideArithmetic(true);
  StageClocks clocks(problem, 2, 1);
  clocks.add(0);
  clocks.add(1);
  EXPECT_EQ(clocks.slot(0), 484 + 200 / 2);
}

TEST(StageClocks, NothingMovesAcrossABranch) {
  StageProblem problem = mmaBesideArithmetic(false);
  problem.nodes[0].hasBranches = true;
  StageClocks clocks(problem, 2, 1);
  clocks.add(0);
  clocks.add(0);
  EXPECT_EQ(clocks.slot(0), 200 + 484);
}

TEST(StageClocks, AValueThatLivesAcrossItsNextComputationIsCopied) {
  // Node 0 computes a value for node 1 of the next iteration.
  StageProblem problem;
  problem.nodes = {{StageUnit::Vector, 10, 10}, {StageUnit::Vector, 10, 10}};
  problem.nodes[0].registers = 3;
  problem.uses = {{0, 1, 1}};
  problem.moveClocks = 4;
  auto total = [&](unsigned first, unsigned second) {
    StageClocks clocks(problem, 2, 1);
    clocks.add(first);
    clocks.add(second);
    return clocks.total();
  };
  EXPECT_EQ(total(0, 1), total(1, 0) + 3 * 4);
}

TEST(StageSearch, PrefersLoadsAfterTheLastUseOfTheOldValue) {
  // The load (node 2) fetches the scales for node 1 of the next iteration. If the load precedes node 1, the end of the
  // iteration waits for the load in order to copy its result.
  StageProblem problem;
  StageNode load{StageUnit::Memory, 8, 4, 0, 1000};
  load.registers = 2;
  problem.nodes = {{StageUnit::Matrix, 2048, 2020, 1536, 16}, {StageUnit::Matrix, 256, 228, 168, 16}, load};
  problem.uses = {{0, 1, 0}, {2, 1, 1}};
  problem.moveClocks = 4;
  StageSearchResult found = searchStages(problem);
  ASSERT_FALSE(found.plans.empty());
  const StagePlan &best = found.plans.front().plan;
  EXPECT_GE(best.stageOf[2], best.stageOf[1]);
  StagePlan early{4, 1, {1, 3, 2}, {}, {}}, late{4, 1, {1, 3, 3}, {}, {}};
  EXPECT_GT(playSchedule(problem, early).clocks, playSchedule(problem, late).clocks + 400);
}

TEST(StageRegisters, PartsOfAResultOccupyTheirOwnRegisters) {
  // Half of the result of node 0 is used in the same stage, the other half two stages later.
  StageProblem problem;
  problem.nodes.assign(3, {StageUnit::Vector, 10, 10});
  problem.nodes[0].registers = 32;
  problem.uses = {{0, 1, 0, 16}, {0, 2, 0, 16}};
  EXPECT_EQ(StageRegisters(problem, 3).most({0, 0, 2}), 16);
  EXPECT_EQ(StageRegisters(problem, 3).most({0, 2, 2}), 32);
}

TEST(SchedulePlayer, TheLoopsOwnInstructionsFollowAWaitInSlotZero) {
  StageProblem problem = gemm();
  problem.loopClocks = 40;
  StagePlan plan{2, 1, {0, 0, 0, 1}, {-1}, {1}};
  const int64_t bottom = playSchedule(problem, plan).clocks;
  plan.waitSlots = {0};
  // At the top of the loop, slot 0 leaves these instructions to the last stage, that of the MMA, in both groups.
  EXPECT_EQ(playSchedule(problem, plan).clocks, bottom + 2 * 40);
}

TEST(SchedulePlayer, StagesOverlapReadsAndMmas) {
  StageProblem problem = gemm();
  PlayedSchedule staged = playSchedule(problem, searchStages(problem).plans.front().plan);
  PlayedSchedule plain = playSchedule(problem, planWithoutStages(problem));
  // Each of the two slots takes as long as the MMA.
  EXPECT_EQ(staged.clocks, 2 * (1024 + 16));
  EXPECT_GT(plain.clocks, staged.clocks + 256);
}

TEST(SchedulePlayer, WaitsForCopiesInFlight) {
  StageProblem problem = gemm();
  // Only one group is in flight: each wait waits for the copies of the same iteration.
  problem.waits[0].covers = 0;
  problem.orders.clear();
  StagePlan plan{2, 1, {0, 0, 0, 1}, {-1}, {0}};
  PlayedSchedule played = playSchedule(problem, plan);
  ASSERT_EQ(played.slots.size(), 2u);
  // The low group waits in slot 1, the high group one slot later.
  EXPECT_GT(played.slots[1].waiting, 0);
  EXPECT_GT(played.slots[0].waiting, 0);
  plan.waitSlots = {0};
  plan.outstanding = {1};
  problem.waits[0].covers = -1;
  EXPECT_EQ(playSchedule(problem, plan).slots[1].waiting, 0);
}

TEST(StageProblem, PlainLoopHasABarrierForEachConflict) {
  StageProblem problem = gemm();
  problem.orders.push_back({0, 1, 0, StageDistance::BetweenGroups});
  problem.orders.push_back({0, 3, 0, StageDistance::BetweenGroups});
  EXPECT_EQ(planWithoutStages(problem).stageOf, (std::vector<unsigned>{0, 1, 1, 1}));
}
