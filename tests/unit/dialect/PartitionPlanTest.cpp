//===- PartitionPlanTest.cpp - Warps and registers of workers --------------------------===//
#include "dialect/hk/facts/PartitionPlan.h"

#include <gtest/gtest.h>

using namespace hocket::hk;

namespace {

using Ints = std::vector<int>;

std::vector<WorkerNeeds> workers(std::initializer_list<int> warps, std::initializer_list<int> registers = {}) {
  std::vector<WorkerNeeds> needs;
  for (int count : warps)
    needs.push_back({count, registers.size() ? registers.begin()[needs.size()] : 0});
  return needs;
}

Ints firstWarps(int launchWarps, std::initializer_list<int> warps) {
  WorkerWarps workerWarps = assignWorkerWarps(launchWarps, workers(warps));
  return {workerWarps.firstWarps.begin(), workerWarps.firstWarps.end()};
}

int blockWarps(int launchWarps, std::initializer_list<int> warps, std::initializer_list<int> registers = {}) {
  return assignWorkerWarps(launchWarps, workers(warps, registers)).blockWarps;
}

TEST(PartitionPlan, WorkersFollowTheLaunch) {
  EXPECT_EQ(firstWarps(4, {4}), Ints({4}));
  EXPECT_EQ(firstWarps(4, {1, 1, 1}), Ints({4, 5, 6}));
  EXPECT_EQ(blockWarps(4, {1, 1, 1}), 7);
}

TEST(PartitionPlan, TheLargestComeFirst) {
  EXPECT_EQ(firstWarps(4, {1, 4, 2}), Ints({10, 4, 8}));
  EXPECT_EQ(blockWarps(4, {1, 4, 2}), 11);
}

TEST(PartitionPlan, WarpgroupsBeginAtAMultipleOf4AndGapsAreFilled) {
  EXPECT_EQ(firstWarps(1, {4, 1, 2}), Ints({4, 1, 2}));
  EXPECT_EQ(firstWarps(2, {8, 1}), Ints({4, 2}));
  EXPECT_EQ(blockWarps(2, {8, 1}), 12);
}

TEST(PartitionPlan, BudgetsAreForWholeWarpgroups) {
  EXPECT_EQ(blockWarps(4, {1}), 5);
  EXPECT_EQ(blockWarps(4, {1}, {24}), 8);
}

RegisterBudgets budgets(int launchWarps, const std::vector<WorkerNeeds> &needs, int atMost = 1000) {
  WorkerWarps workerWarps = assignWorkerWarps(launchWarps, needs);
  return planRegisters(launchWarps, needs, workerWarps, workerWarps.blockWarps, 32, 65536, atMost);
}

TEST(PartitionPlan, TheLaunchTakesWhatIsLeft) {
  // 12 warps: 65536 / 384 = 170, in units of 8. 3 x 168 = 24 + 240 + 240.
  RegisterBudgets found = budgets(4, workers({4, 4}, {24, 240}));
  EXPECT_EQ(found.atEntry, 168);
  EXPECT_EQ(Ints(found.ofGroups.begin(), found.ofGroups.end()), Ints({24, 240}));
  EXPECT_EQ(found.ofLaunch, 240);
}

TEST(PartitionPlan, ALaunchOfTwoWarpgroupsSharesIt) {
  // 2 x 240 + 24 = 3 x 168.
  RegisterBudgets found = budgets(8, workers({1}, {24}));
  EXPECT_EQ(found.atEntry, 168);
  EXPECT_EQ(found.ofLaunch, 240);
}

TEST(PartitionPlan, SmallWorkersOfAWarpgroupGetTheLargestOfTheirBudgets) {
  RegisterBudgets found = budgets(4, workers({1, 2, 1}, {24, 40, 32}));
  EXPECT_EQ(Ints(found.ofGroups.begin(), found.ofGroups.end()), Ints({40}));
}

TEST(PartitionPlan, LanesCanNameNoMoreThan248) {
  RegisterBudgets found = budgets(4, workers({4}, {24}));
  EXPECT_EQ(found.atEntry, 248);
  EXPECT_EQ(found.ofLaunch, 248);
}

TEST(PartitionPlan, TheUsersLimitIsKept) {
  RegisterBudgets found = budgets(4, workers({4}, {24}), 100);
  EXPECT_EQ(found.atEntry, 96);
  EXPECT_EQ(found.ofLaunch, 168);
}

TEST(PartitionPlan, TooManyRegistersLeaveTooFew) {
  EXPECT_LT(budgets(4, workers({4, 4}, {248, 248})).ofLaunch, kFewestRegisters);
}

} // namespace
