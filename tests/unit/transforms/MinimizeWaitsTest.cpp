//===- MinimizeWaitsTest.cpp - The waits of random programs suffice, and are as weak as possible -----===//
//
// Checked by running the programs (AsyncPrograms.h).
//
//===------------------------------------------------------------------------------===//
#include "AsyncPrograms.h"
#include "RandomKernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

static Block &bodyOf(ModuleOp module) { return (*module.getOps<func::FuncOp>().begin()).getBody().front(); }

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// Counts the waits that could be deleted, or leave one group more in flight, without making a run unsafe.
static int countWaitsThatAreTooStrong(Block &program, int runs) {
  int count = 0;
  program.walk([&](hk::AsyncWaitGroupOp wait) {
    count += !isUnsafeInSomeRun(program, runs, {wait}) ||
             !isUnsafeInSomeRun(program, runs, {wait, wait.getOutstanding() + 1});
  });
  return count;
}

static constexpr char kPass[] = "hocket-minimize-waits";

TEST(MinimizeWaits, PlacedWaitsAreEnough) {
  auto context = makeTileContext();
  std::mt19937 random(30);
  for (int round = 0, rounds = roundsOf(1000); round < rounds; ++round) {
    std::string text = randomAsyncProgram(random, {.isDeep = round % 2 == 1});
    auto module = compile(*context, text, kPass);
    ASSERT_TRUE(module) << text;
    ASSERT_FALSE(isUnsafeInSomeRun(bodyOf(*module), 40)) << textOf(*module);
  }
}

TEST(MinimizeWaits, NoPlacedWaitIsMoreThanNeeded) {
  auto context = makeTileContext();
  std::mt19937 random(31);
  int waits = 0;
  for (int round = 0, rounds = roundsOf(1000); round < rounds; ++round) {
    auto module = compile(*context, randomAsyncProgram(random, {}), kPass);
    ASSERT_TRUE(module);
    module->walk([&](hk::AsyncWaitGroupOp wait) { waits += wait.getOutstanding() > 0; });
    ASSERT_EQ(countWaitsThatAreTooStrong(bodyOf(*module), 30000), 0) << textOf(*module);
  }
  EXPECT_GT(waits, 50) << "the random programs are too tame";
}

/// Only unsafe programs are errors; safe ones stay safe with weaker waits.
TEST(MinimizeWaits, WrittenWaitsAreJudgedRightly) {
  auto context = makeTileContext();
  context->getDiagEngine().registerHandler([](mlir::Diagnostic &) { return success(); });
  std::mt19937 random(32);
  int refused = 0, weaker = 0;
  for (int round = 0, rounds = roundsOf(2000); round < rounds; ++round) {
    std::string text = randomAsyncProgram(random, {.isExplicit = true, .isDeep = round % 3 == 2});
    auto before = compile(*context, text, "");
    ASSERT_TRUE(before) << text;
    bool isUnsafe = isUnsafeInSomeRun(bodyOf(*before), 300);
    auto after = compile(*context, text, kPass);
    refused += !after;
    if (!after)
      ASSERT_TRUE(isUnsafe) << text;
    else if (!isUnsafe) {
      weaker += textOf(*after) != textOf(*before);
      ASSERT_FALSE(isUnsafeInSomeRun(bodyOf(*after), 300)) << text << textOf(*after);
    }
  }
  EXPECT_GT(refused, 150);
  EXPECT_GT(weaker, 30);
}

/// An access that a wait completes under one condition may be used under another condition that implies the first.
TEST(MinimizeWaits, SafeProgramsStaySafeWhateverConditionsMean) {
  auto context = makeTileContext();
  context->getDiagEngine().registerHandler([](mlir::Diagnostic &) { return success(); });
  std::mt19937 random(33);
  int weaker = 0;
  for (int round = 0, rounds = roundsOf(3000); round < rounds; ++round) {
    std::string text = randomAsyncProgram(random, {.isExplicit = true, .isDeep = round % 3 == 2, .isRelated = true});
    auto before = compile(*context, text, "");
    ASSERT_TRUE(before) << text;
    auto after = compile(*context, text, kPass);
    if (!after || textOf(*after) == textOf(*before) || isUnsafeInSomeRun(bodyOf(*before), 300))
      continue;
    ++weaker;
    ASSERT_FALSE(isUnsafeInSomeRun(bodyOf(*after), 300)) << text << textOf(*after);
  }
  EXPECT_GT(weaker, 30);
}
