//===- OutstandingCopiesTest.cpp - Number of copies that a wait may leave in flight -===//
//
// Random control flow with copies, commits and waits, executed with random branches by a machine that counts copies as
// the hardware does. A wait for k copies must suffice on every path, and k + 1 must be too many on some path.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_rocdl/OutstandingCopies.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace hocket;

static constexpr int kLimit = 63;

static std::string randomFunction(std::mt19937 &random) {
  auto pick = [&](unsigned count) { return std::to_string(random() % count); };
  unsigned blocks = 2 + random() % 4;
  std::string text = "llvm.func @f(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: i1) {\n  llvm.br ^b0\n";
  for (unsigned block = 0; block < blocks; ++block) {
    text += "^b" + std::to_string(block) + ":\n";
    for (unsigned count = random() % 5; count > 0; --count)
      switch (random() % 5) {
      case 0:
      case 1:
        text += "  rocdl.global.load.lds %g, %s, 4, 0, 0\n";
        break;
      case 2:
      case 3:
        text += "  lane.async_commit_group\n";
        break;
      case 4:
        text += "  lane.async_wait_group {outstanding = " + pick(4) + " : i32}\n";
        break;
      }
    // The block branches to the next block, so that all blocks are reached, or to any block.
    std::string next = block + 1 < blocks ? "^b" + std::to_string(block + 1) : "^end";
    text += "  llvm.cond_br %c, " + next + ", ^b" + pick(blocks) + "\n";
  }
  return text + "^end:\n  llvm.return\n}\n";
}

namespace {
/// For each wait, the minimum number of copies issued since the newest group that must have arrived.
using Fewest = llvm::DenseMap<Operation *, int>;

void walk(Block *block, std::mt19937 &random, Fewest &fewest) {
  int issued = 0;
  std::vector<int> issuedAtCommit;
  for (int steps = 0; steps < 60; ++steps) {
    for (Operation &op : *block) {
      issued += isCopyToShared(&op);
      if (isa<lane::AsyncCommitGroupOp>(op))
        issuedAtCommit.push_back(issued);
      auto wait = dyn_cast<lane::AsyncWaitGroupOp>(op);
      if (!wait || issuedAtCommit.size() <= wait.getOutstanding())
        continue;
      int after = issued - issuedAtCommit[issuedAtCommit.size() - 1 - wait.getOutstanding()];
      auto [seen, isNew] = fewest.try_emplace(wait, after);
      seen->second = std::min(seen->second, after);
    }
    if (block->getNumSuccessors() == 0)
      return;
    block = block->getSuccessor(random() % block->getNumSuccessors());
  }
}
} // namespace

TEST(OutstandingCopies, IsTheLeastThatAnyWalkSees) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<LLVM::LLVMDialect, ROCDL::ROCDLDialect, lane::LaneDialect>();
  std::mt19937 random(9);
  int waits = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text = randomFunction(random);
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    auto function = *module->getOps<LLVM::LLVMFuncOp>().begin();
    Fewest fewest;
    for (int attempt = 0; attempt < 1500; ++attempt)
      walk(&function.getBody().front(), random, fewest);
    function.walk([&](lane::AsyncWaitGroupOp wait) {
      std::optional<int> count = countOutstandingCopies(wait, kLimit);
      auto seen = fewest.find(wait);
      if (seen == fewest.end())
        return;
      ++waits;
      ASSERT_TRUE(count) << text;
      EXPECT_EQ(*count, std::min(seen->second, kLimit)) << text;
    });
  }
  EXPECT_GT(waits, 200) << "the random functions are too tame";
}

TEST(OutstandingCopies, EndsAtTheLimit) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<LLVM::LLVMDialect, ROCDL::ROCDLDialect, lane::LaneDialect>();
  std::string text = "llvm.func @f(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>) {\n  lane.async_commit_group\n";
  for (int copy = 0; copy < 5; ++copy)
    text += "  rocdl.global.load.lds %g, %s, 4, 0, 0\n";
  text += "  lane.async_wait_group {outstanding = 0 : i32}\n  llvm.return\n}\n";
  auto module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  module->walk([](lane::AsyncWaitGroupOp wait) {
    EXPECT_EQ(countOutstandingCopies(wait, 3), 3);
    EXPECT_EQ(countOutstandingCopies(wait, 5), 5);
    EXPECT_EQ(countOutstandingCopies(wait, 9), 5);
  });
}
