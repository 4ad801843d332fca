//===- BlockSequenceTest.cpp - Order in which the blocks of a launch begin, and blocks that wait ---===//
#include "emulator/run/BlockSequence.h"
#include "TestKernel.h"

#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace hocket;
using emulator::BlockSequence;

namespace {

std::vector<uint64_t> orderOf(uint64_t count, uint64_t seed) {
  BlockSequence sequence(count, seed);
  std::vector<uint64_t> order;
  for (uint64_t position = 0; position < count; ++position)
    order.push_back(sequence.blockAt(position));
  return order;
}

TEST(BlockSequence, Seed0IsTheNaturalOrder) {
  std::vector<uint64_t> natural(100);
  std::iota(natural.begin(), natural.end(), 0);
  EXPECT_EQ(orderOf(100, 0), natural);
}

TEST(BlockSequence, AdversarialSeedsReverseEachWindow) {
  EXPECT_EQ(orderOf(5, 3), (std::vector<uint64_t>{4, 3, 2, 1, 0}));
  auto order = orderOf(BlockSequence::kWindow + 3, 7);
  EXPECT_EQ(order[0], BlockSequence::kWindow - 1);
  EXPECT_EQ(order[BlockSequence::kWindow], BlockSequence::kWindow + 2);
  EXPECT_EQ(order.back(), BlockSequence::kWindow);
}

TEST(BlockSequence, EachBlockBeginsOnceInItsWindow) {
  for (uint64_t seed : {1, 2, 3, 4, 1000}) {
    auto order = orderOf(77, seed);
    EXPECT_EQ(std::set<uint64_t>(order.begin(), order.end()).size(), order.size());
    for (uint64_t position = 0; position < order.size(); ++position) {
      EXPECT_EQ(order[position] / BlockSequence::kWindow, position / BlockSequence::kWindow);
      EXPECT_EQ(BlockSequence(77, seed).positionOf(order[position]), position);
    }
  }
}

TEST(BlockSequence, SeedsReachEveryOrderOfThreeBlocks) {
  std::set<std::vector<uint64_t>> orders;
  for (uint64_t seed = 0; seed < 40; ++seed)
    orders.insert(orderOf(3, seed));
  EXPECT_EQ(orders.size(), 6u);
}

/// Each block adds its index to %ready, waits until %ready is at least %goal, and records the value that it then reads.
TestKernel meeting() {
  return {.target = "gfx950",
          .numWarps = 2,
          .parameters = "%ready: !llvm.ptr<1>, %seen: !llvm.ptr<1>, %goal: i32",
          .body = R"(
    %block = rocdl.workgroup.id.x : i32
    %tid = rocdl.workitem.id.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %first = llvm.icmp "eq" %tid, %zero : i32
    %old = lane.atomic_rmw add acq_rel gpu, %ready, %one, pred %first : !llvm.ptr<1>, i32
    llvm.br ^wait
  ^wait:
    %now = lane.atomic_rmw add acquire gpu, %ready, %zero : !llvm.ptr<1>, i32
    %late = llvm.icmp "slt" %now, %goal : i32
    llvm.cond_br %late, ^wait, ^done
  ^done:
    %p = llvm.getelementptr %seen[%block] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    lane.store %p, %now, pred %first : !llvm.ptr<1>, i32)"};
}

TEST(BlockSequence, BlocksThatWaitForEachOtherMeetOnOneThread) {
  constexpr int kBlocks = 10;
  auto kernel = compile(meeting());
  for (uint64_t seed : {0, 1, 3}) {
    std::vector<int32_t> ready(1), seen(kBlocks);
    EXPECT_EQ(textOf(kernel->launch({kBlocks, 1, 1},
                                    {array("ready", ready, "int32"), array("seen", seen, "int32"), scalar(kBlocks)},
                                    {.seed = seed, .threads = 1})),
              "ok");
    EXPECT_EQ(seen, std::vector<int32_t>(kBlocks, kBlocks));
  }
}

TEST(BlockSequence, BlocksThatDoNotWaitRunOneAfterTheOther) {
  constexpr int kBlocks = 20;
  auto kernel = compile(meeting());
  for (uint64_t seed : {0, 1, 3}) {
    std::vector<int32_t> ready(1), seen(kBlocks);
    EXPECT_EQ(textOf(kernel->launch({kBlocks, 1, 1},
                                    {array("ready", ready, "int32"), array("seen", seen, "int32"), scalar(0)},
                                    {.seed = seed, .threads = 1})),
              "ok");
    // Each block sees itself and the blocks before it. With a seed other than 0, other blocks may run first at each
    // atomic access.
    BlockSequence sequence(kBlocks, seed);
    for (uint64_t block = 0; block < kBlocks; ++block) {
      EXPECT_GE(uint64_t(seen[block]), 1u);
      EXPECT_LE(seen[block], kBlocks);
      if (seed == 0)
        EXPECT_EQ(uint64_t(seen[block]), sequence.positionOf(block) + 1);
    }
  }
}

} // namespace
