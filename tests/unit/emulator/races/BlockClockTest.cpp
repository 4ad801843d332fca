//===- BlockClockTest.cpp - Clocks against maps ------------------------------------------------------===//
#include "emulator/races/BlockClock.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using hocket::emulator::BlockClock;

namespace {

TEST(BlockClock, KnowsNothingAtFirst) {
  BlockClock clock;
  EXPECT_EQ(clock.epochOf(0), 0u);
  EXPECT_EQ(clock.epochOf(uint64_t(1) << 40), 0u);
  EXPECT_FALSE(clock.firstBeyond(BlockClock(), 0));
}

TEST(BlockClock, JoinTakesTheLaterEpochs) {
  // The example of the header, with blocks on several levels.
  BlockClock a = BlockClock().with(3, 2), b = BlockClock().with(3, 1).with(7, 4).with(1000000, 5);
  BlockClock joined = BlockClock::join(a, b);
  EXPECT_EQ(joined.epochOf(3), 2u);
  EXPECT_EQ(joined.epochOf(7), 4u);
  EXPECT_EQ(joined.epochOf(1000000), 5u);
  EXPECT_EQ(joined.epochOf(2), 0u);
  // Clocks are values: the operands are unchanged.
  EXPECT_EQ(a.epochOf(7), 0u);
  EXPECT_EQ(b.epochOf(3), 1u);
}

TEST(BlockClock, WhatHoldsEverythingAlreadyIsShared) {
  BlockClock a = BlockClock().with(3, 2).with(500, 1), less = BlockClock().with(3, 1).with(500, 1);
  EXPECT_TRUE(a.with(3, 2).isSameTree(a));
  EXPECT_TRUE(a.with(3, 1).isSameTree(a));
  EXPECT_TRUE(BlockClock::join(a, less).isSameTree(a));
  EXPECT_TRUE(BlockClock::join(a, BlockClock()).isSameTree(a));
  EXPECT_FALSE(a.with(3, 3).isSameTree(a));
}

TEST(BlockClock, FirstBeyond) {
  BlockClock clock = BlockClock().with(20, 1).with(4, 3).with(70000, 2);
  EXPECT_EQ(clock.firstBeyond(BlockClock(), 99), 4u);
  EXPECT_EQ(clock.firstBeyond(BlockClock(), 4), 20u);
  EXPECT_EQ(clock.firstBeyond(BlockClock().with(4, 3), 99), 20u);
  EXPECT_EQ(clock.firstBeyond(BlockClock().with(4, 2).with(20, 1), 99), 4u);
  EXPECT_EQ(clock.firstBeyond(BlockClock().with(4, 9).with(20, 1), 99), 70000u);
  EXPECT_EQ(clock.firstBeyond(BlockClock().with(4, 9).with(20, 1), 70000), std::nullopt);
  EXPECT_EQ(clock.firstBeyond(clock.with(uint64_t(1) << 30, 1), 99), std::nullopt);
}

TEST(BlockClock, AgreesWithMaps) {
  std::mt19937_64 random(1);
  for (uint64_t blocks : {10, 300, 100000})
    for (int round = 0; round < 50; ++round) {
      std::map<uint64_t, uint32_t> maps[2], joined;
      BlockClock clocks[2];
      for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 40; ++i) {
          uint64_t block = random() % blocks;
          auto epoch = uint32_t(1 + random() % 5);
          maps[side][block] = std::max(maps[side][block], epoch);
          clocks[side] = clocks[side].with(block, epoch);
        }
      std::optional<uint64_t> beyond;
      for (const auto &map : maps)
        for (auto [block, epoch] : map)
          joined[block] = std::max(joined[block], epoch);
      for (auto [block, epoch] : maps[0])
        if (!beyond && block != 5 && epoch > (maps[1].contains(block) ? maps[1][block] : 0))
          beyond = block;
      BlockClock both = BlockClock::join(clocks[0], clocks[1]);
      for (uint64_t block = 0; block < blocks; ++block)
        ASSERT_EQ(both.epochOf(block), joined.contains(block) ? joined[block] : 0);
      EXPECT_EQ(clocks[0].firstBeyond(clocks[1], 5), beyond);
      EXPECT_FALSE(clocks[0].firstBeyond(both, blocks));
    }
}

} // namespace
