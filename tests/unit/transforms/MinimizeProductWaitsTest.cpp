//===- MinimizeProductWaitsTest.cpp - The waits of random programs with wgmma suffice, and are weak ---------===//
//
// Checked by running the programs (ProductPrograms.h).
//
//===------------------------------------------------------------------------------===//
#include "ProductPrograms.h"
#include "RandomKernel.h"
#include "dialect/hk_nv/HkNvDialect.h"
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

static std::unique_ptr<MLIRContext> makeContext() {
  auto context = makeTileContext();
  context->loadDialect<hk_nv::HkNvDialect>();
  return context;
}

/// Counts the waits that could be deleted, or leave one group more in flight, without making a run unsafe. The
/// instruction leaves at most 7 groups.
static int countWaitsThatAreTooStrong(Block &program, int runs) {
  int count = 0;
  program.walk([&](hk_nv::WarpgroupMmaWaitOp wait) {
    unsigned more = wait.getOutstanding() + 1;
    count += !isProductUnsafeInSomeRun(program, runs, true, {wait}) ||
             (more <= 7 && !isProductUnsafeInSomeRun(program, runs, true, {wait, more}));
  });
  return count;
}

static constexpr char kPass[] = "hocket-minimize-waits";

TEST(MinimizeProductWaits, PlacedWaitsAreEnough) {
  auto context = makeContext();
  std::mt19937 random(40);
  for (int round = 0, rounds = roundsOf(400); round < rounds; ++round) {
    std::string text = randomProductProgram(random, {.isDeep = round % 2 == 1});
    auto module = compile(*context, text, kPass);
    ASSERT_TRUE(module) << text;
    ASSERT_FALSE(isProductUnsafeInSomeRun(bodyOf(*module), 40, true)) << textOf(*module);
  }
}

TEST(MinimizeProductWaits, NoPlacedWaitIsMoreThanNeeded) {
  auto context = makeContext();
  std::mt19937 random(41);
  int waits = 0;
  for (int round = 0, rounds = roundsOf(2000); round < rounds; ++round) {
    auto module = compile(*context, randomProductProgram(random, {}), kPass);
    ASSERT_TRUE(module);
    module->walk([&](hk_nv::WarpgroupMmaWaitOp wait) { waits += wait.getOutstanding() > 0; });
    ASSERT_EQ(countWaitsThatAreTooStrong(bodyOf(*module), 30000), 0) << textOf(*module);
  }
  EXPECT_GT(waits, 50) << "the random programs are too tame";
}

/// Only unsafe programs are errors; safe ones stay safe with weaker waits.
TEST(MinimizeProductWaits, WrittenWaitsAreJudgedRightly) {
  auto context = makeContext();
  context->getDiagEngine().registerHandler([](mlir::Diagnostic &) { return success(); });
  std::mt19937 random(42);
  int refused = 0, weaker = 0;
  for (int round = 0, rounds = roundsOf(2000); round < rounds; ++round) {
    std::string text = randomProductProgram(random, {.isExplicit = true, .isDeep = round % 3 == 2});
    auto before = compile(*context, text, "");
    ASSERT_TRUE(before) << text;
    bool hasWaits = before->walk([](hk_nv::WarpgroupMmaWaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (!hasWaits) // the pass inserts them
      continue;
    bool isUnsafe = isProductUnsafeInSomeRun(bodyOf(*before), 300, false);
    auto after = compile(*context, text, kPass);
    refused += !after;
    if (!after)
      ASSERT_TRUE(isUnsafe) << text;
    else if (!isUnsafe) {
      weaker += textOf(*after) != textOf(*before);
      ASSERT_FALSE(isProductUnsafeInSomeRun(bodyOf(*after), 300, true)) << text << textOf(*after);
    }
  }
  EXPECT_GT(refused, 150);
  EXPECT_GT(weaker, 30);
}

TEST(MinimizeProductWaits, SafeProgramsStaySafeWhateverConditionsMean) {
  auto context = makeContext();
  context->getDiagEngine().registerHandler([](mlir::Diagnostic &) { return success(); });
  std::mt19937 random(43);
  int weaker = 0;
  for (int round = 0, rounds = roundsOf(3000); round < rounds; ++round) {
    std::string text = randomProductProgram(random, {.isExplicit = true, .isDeep = round % 3 == 2, .isRelated = true});
    auto before = compile(*context, text, "");
    ASSERT_TRUE(before) << text;
    auto after = compile(*context, text, kPass);
    if (!after || textOf(*after) == textOf(*before) || isProductUnsafeInSomeRun(bodyOf(*before), 300, false))
      continue;
    ++weaker;
    ASSERT_FALSE(isProductUnsafeInSomeRun(bodyOf(*after), 300, true)) << text << textOf(*after);
  }
  EXPECT_GT(weaker, 30);
}
