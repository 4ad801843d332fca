//===- ExclusiveStagesTest.cpp - Asynchronous MMAs, mbarriers and exclusive stages -------===//
#include "analysis/auto_stages/ExclusiveStages.h"
#include "StageProblems.h"
#include "analysis/auto_stages/SchedulePlayer.h"
#include "analysis/auto_stages/StageSearch.h"

#include <gtest/gtest.h>

using namespace hocket;

/// A loop with an asynchronous MMA whose result an arithmetic node uses, and a copy for the next iteration.
static StageProblem attention() {
  StageProblem problem;
  StageNode mma{.unit = StageUnit::Matrix, .clocks = 100, .issue = 1, .latency = 10, .isAsync = true};
  StageNode arithmetic{.unit = StageUnit::Vector, .clocks = 60, .issue = 60};
  StageNode copy{.unit = StageUnit::Memory, .clocks = 5, .issue = 1, .latency = 20};
  problem.nodes = {StageNode(), mma, copy, arithmetic};
  problem.uses = {{1, 3, 0}, {3, 1, 1}};
  problem.signals = {{2, 0, 1}};
  problem.orders = {{0, 1, 0, StageDistance::SameWarp}, {1, 2, 1, StageDistance::BetweenGroups}};
  problem.slotClocks = 4;
  return problem;
}

TEST(SchedulePlayer, AStageEndsWhenItsAsynchronousMmasAreComplete) {
  StageProblem problem = attention();
  StagePlan plan{2, 1, {0, 0, 1, 1}, {}, {}};
  // Each slot takes as long as an MMA with its latency, because the other stage is shorter.
  EXPECT_EQ(playSchedule(problem, plan).clocks, 2 * (100 + 10 + 4));
  problem.nodes[1].isAsync = false;
  EXPECT_LT(playSchedule(problem, plan).clocks, 2 * (100 + 10 + 4));
}

TEST(SchedulePlayer, WithoutStagesAnAsynchronousMmaOverlapsTheNextIteration) {
  StageProblem problem = attention();
  problem.uses.clear();
  // Nothing waits for the MMA: the matrix unit is always busy.
  EXPECT_EQ(playSchedule(problem, planWithoutStages(problem)).clocks, 200);
  // The copy overwrites what the MMA of the same iteration reads, so both groups wait for their MMAs before the copy.
  problem.orders.push_back({1, 2, 0, StageDistance::BetweenGroups});
  EXPECT_GT(playSchedule(problem, planWithoutStages(problem)).clocks, 200 + 60);
}

TEST(SchedulePlayer, AWaitAtAnMbarrierWaitsForTheCopy) {
  StageProblem problem = attention();
  StagePlan plan{2, 1, {0, 0, 1, 1}, {}, {}};
  int64_t before = playSchedule(problem, plan).clocks;
  problem.nodes[2].latency = 1000;
  EXPECT_GT(playSchedule(problem, plan).clocks, before + 800);
  problem.signals[0].iterations = 8;
  EXPECT_EQ(playSchedule(problem, plan).clocks, before);
}

TEST(ExclusiveStages, TakeTheLongerOfTwoTimes) {
  StageProblem problem = attention();
  StagePlan plan = plansWithExclusiveMmas(problem, {{2, 1, {0, 0, 1, 1}, {}, {}}}).front();
  EXPECT_EQ(plan.exclusive, (std::vector<bool>{true, false}));
  // The exclusive stages of both groups, one after the other: each takes a barrier and the MMA with its latency.
  EXPECT_EQ(playSchedule(problem, plan).clocks, 2 * (4 + 100 + 10));
  // All stages of one group.
  problem.nodes[3].clocks = problem.nodes[3].issue = 400;
  problem.nodes[2].issue = 0;
  const int64_t clocks = playSchedule(problem, plan).clocks;
  // Both groups need the vector unit for 400 clocks of each iteration.
  EXPECT_GE(clocks, 800);
  EXPECT_LE(clocks, 2 * (400 + 110 + 4));
}

TEST(ExclusiveStages, KeepTheOrders) {
  StageProblem problem = attention();
  StagePlan plan{2, 1, {0, 0, 1, 1}, {}, {}};
  EXPECT_FALSE(plansWithExclusiveMmas(problem, {plan}).empty());
  // Only one exclusive stage is between the MMA and the copy of the same iteration; groups need two.
  problem.orders.push_back({1, 2, 0, StageDistance::BetweenGroups});
  EXPECT_TRUE(plansWithExclusiveMmas(problem, {plan}).empty());
  problem.orders.back().distance = StageDistance::WithinGroup;
  EXPECT_TRUE(plansWithExclusiveMmas(problem, {plan}).empty());
  problem.orders.back().distance = StageDistance::SameWarp;
  EXPECT_FALSE(plansWithExclusiveMmas(problem, {plan}).empty());
  // All stages would be exclusive, or none.
  EXPECT_TRUE(plansWithExclusiveMmas(problem, {{1, 1, {0, 0, 0, 0}, {}, {}}}).empty());
  problem.nodes[1].unit = StageUnit::Vector;
  EXPECT_TRUE(plansWithExclusiveMmas(problem, {plan}).empty());
  // Waits between stages need slots.
  problem = attention();
  problem.commits = {{2}};
  problem.waits = {{0, 0, 0, {}}};
  EXPECT_TRUE(plansWithExclusiveMmas(problem, {plan}).empty());
}

TEST(ExclusiveStages, GatherMmas) {
  StageProblem problem = attention();
  // A second MMA, which the plan for slots has put into the other stage.
  problem.nodes.insert(problem.nodes.begin() + 2, problem.nodes[1]);
  problem.uses = {{1, 2, 0}, {2, 4, 0}, {4, 1, 1}};
  problem.signals = {{3, 0, 1}};
  problem.orders = {{0, 1, 0, StageDistance::SameWarp}, {2, 3, 1, StageDistance::BetweenGroups}};
  std::vector<StagePlan> plans = plansWithExclusiveMmas(problem, {{2, 1, {0, 0, 1, 1, 1}, {}, {}}});
  ASSERT_FALSE(plans.empty());
  EXPECT_EQ(plans[0].stageOf, (std::vector<unsigned>{0, 0, 0, 1, 1}));
  EXPECT_EQ(plans[0].exclusive, (std::vector<bool>{true, false}));
}

/// True if the plan keeps an order, by the numbers of the exclusive stages that each group has begun and ended.
static bool isKeptByAlternation(const StagePlan &plan, const StageOrder &order) {
  const int64_t count = plan.numStages, src = plan.stageOf[order.from];
  const int64_t dst = order.iterations * count + plan.stageOf[order.to];
  if (order.distance == StageDistance::SameWarp)
    return dst >= src;
  // The number of exclusive stages that a group has begun, and ended, when it is in a stage.
  auto begun = [&](int64_t stage) {
    int64_t number = 0;
    for (int64_t each = 0; each <= stage; ++each)
      number += plan.exclusive[size_t(each % count)];
    return number;
  };
  // Stages long after the first one, so that no group is at its beginning.
  const int64_t from = src + 8 * count, to = dst + 8 * count;
  if (order.distance == StageDistance::WithinGroup)
    return begun(to) > begun(from); // the warps of a group synchronize at the beginning of an exclusive stage
  // The other group must have left stage `from` when a group begins stage `to`. A group is in stage `from` until it
  // begins the next exclusive stage, or ends `from` itself if `from` is exclusive.
  const int64_t left = plan.exclusive[size_t(src)] ? begun(from) : begun(from) + 1;
  // When the low group begins its exclusive stage t, the high group has ended its exclusive stage t - 1.
  return to >= from && begun(to) - 1 >= left;
}

TEST(ExclusiveStages, RandomProblems) {
  std::mt19937 random(77);
  int found = 0;
  for (int round = 0; round < 400; ++round) {
    StageProblem problem = drawProblem(random, 3 + unsigned(round % 6));
    problem.waits.clear();
    std::vector<StagePlan> seeds;
    for (const RatedPlan &rated : searchStages(problem).plans)
      seeds.push_back(rated.plan);
    for (const StagePlan &plan : plansWithExclusiveMmas(problem, seeds)) {
      ++found;
      for (unsigned stage = 0; stage < plan.numStages; ++stage) {
        bool hasMma = false;
        for (unsigned node = 0; node < problem.nodes.size(); ++node)
          hasMma |= plan.stageOf[node] == stage && problem.nodes[node].unit == StageUnit::Matrix;
        EXPECT_EQ(plan.exclusive[stage], hasMma);
      }
      for (const StageOrder &order : problem.orders)
        EXPECT_TRUE(isKeptByAlternation(plan, order)) << "round " << round;
      for (const StageUse &use : problem.uses)
        EXPECT_GE(use.iterations * plan.numStages + plan.stageOf[use.to], plan.stageOf[use.from]);
    }
  }
  EXPECT_GT(found, 100);
}
