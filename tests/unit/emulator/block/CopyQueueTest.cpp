//===- CopyQueueTest.cpp - Outstanding asynchronous copies of a warp --------------------------===//
#include "emulator/block/CopyQueue.h"

#include <gtest/gtest.h>
#include <set>

namespace hocket::emulator {
namespace {

constexpr auto kPoison = std::byte(0xff);

struct Wave {
  std::array<std::byte, 256> shared = {};
  std::array<std::byte, 64> source;
  CopyQueue copies;

  explicit Wave(Completion completion) : copies(shared.data(), completion) {
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = std::byte(i + 1);
  }
  /// Issues a copy of lanes 1 and 3, 4 bytes each.
  void issue(uint64_t destination, bool zeros = false) {
    AsyncCopy copy = {.bytes = 4, .lanes = 0b1010, .parts = {}};
    for (unsigned lane : {1u, 3u})
      copy.parts[lane] = {.source = zeros ? nullptr : &source[lane * 4], .destination = destination + lane * 4};
    copies.issue(copy);
  }
  std::byte at(uint64_t place) const { return shared[place]; }
};

TEST(CopyQueue, LanesThatTakePartWriteWhereTheySay) {
  Wave wave(Completion::Now);
  wave.issue(16);
  EXPECT_EQ(wave.at(16), std::byte(0)) << "lane 0 takes no part";
  EXPECT_EQ(wave.at(20), std::byte(5));
  EXPECT_EQ(wave.at(24), std::byte(0));
  EXPECT_EQ(wave.at(28), std::byte(13));
  EXPECT_EQ(wave.at(31), std::byte(16));
}

TEST(CopyQueue, LateDataArriveWithTheWait) {
  Wave wave(Completion::Late);
  wave.issue(0);
  wave.copies.commit();
  EXPECT_EQ(wave.at(4), kPoison);
  wave.copies.step();
  EXPECT_EQ(wave.at(4), kPoison);
  wave.source[4] = std::byte(99);
  EXPECT_EQ(wave.copies.wait(0).size(), 1u);
  EXPECT_EQ(wave.at(4), std::byte(99)) << "the source is read late, too";
}

TEST(CopyQueue, ZerosWhereThereIsNoSource) {
  Wave wave(Completion::Late);
  wave.issue(0, /*zeros=*/true);
  wave.copies.commit();
  EXPECT_EQ(wave.at(4), kPoison);
  wave.copies.wait(0);
  EXPECT_EQ(wave.at(4), std::byte(0));
}

TEST(CopyQueue, WaitLeavesTheNewestGroups) {
  Wave wave(Completion::Late);
  for (uint64_t group = 0; group < 3; ++group) {
    wave.issue(group * 64);
    wave.issue(group * 64 + 32);
    wave.copies.commit();
  }
  EXPECT_EQ(wave.copies.wait(3).size(), 0u);
  EXPECT_EQ(wave.copies.wait(1).size(), 4u);
  EXPECT_EQ(wave.at(64 + 4), std::byte(5));
  EXPECT_EQ(wave.at(128 + 4), kPoison);
  EXPECT_EQ(wave.copies.wait(1).size(), 0u);
  EXPECT_EQ(wave.copies.wait(0).size(), 2u);
}

TEST(CopyQueue, EmptyGroupsCount) {
  Wave wave(Completion::Late);
  wave.issue(0);
  wave.copies.commit();
  wave.copies.commit();
  EXPECT_EQ(wave.copies.wait(1).size(), 1u);
}

TEST(CopyQueue, CopiesThatWereNotCommittedAreNotWaitedFor) {
  Wave wave(Completion::Late);
  wave.issue(0);
  EXPECT_EQ(wave.copies.wait(0).size(), 0u);
  EXPECT_EQ(wave.at(4), kPoison);
  EXPECT_EQ(wave.copies.drop().size(), 1u);
  EXPECT_EQ(wave.copies.drop().size(), 0u);
}

TEST(CopyQueue, RandomDataArriveBetweenTheCopyAndTheWait) {
  std::set<int> arrivals;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Wave wave(Completion::Random);
    wave.copies.seed(seed);
    wave.issue(0);
    wave.copies.commit();
    int steps = 0;
    for (; steps < 20 && wave.at(4) == kPoison; ++steps)
      wave.copies.step();
    EXPECT_LT(steps, 20);
    arrivals.insert(steps);
    // A second wait does not write again.
    wave.source[4] = std::byte(99);
    EXPECT_EQ(wave.copies.wait(0).size(), 1u);
    EXPECT_EQ(wave.at(4), std::byte(5));
  }
  EXPECT_GT(arrivals.size(), 5u);
  EXPECT_TRUE(arrivals.contains(0));
}

// Two counters --------------------------------------------------------------------------------------------------------

constexpr auto kFirst = host_abi::CopyCounter(0), kSecond = host_abi::CopyCounter(1);

/// A warp with a copy to 0 on the first counter and one to 64 on the second.
struct TwoCounters {
  std::array<std::byte, 128> shared = {};
  std::array<std::byte, 4> source = {std::byte(7)};
  CopyQueues copies;

  explicit TwoCounters(Completion completion, uint64_t seed = 0) : copies(shared.data(), completion) {
    copies.seed(seed);
    for (auto [counter, destination] : {std::pair(kFirst, 0), std::pair(kSecond, 64)}) {
      AsyncCopy copy = {.bytes = 4, .lanes = 1, .parts = {}};
      copy.parts[0] = {.source = source.data(), .destination = uint64_t(destination)};
      copies.on(counter).issue(copy);
    }
  }
  bool arrived(size_t place) const { return shared[place] != kPoison; }
};

TEST(CopyQueues, AWaitIsForItsOwnCounter) {
  TwoCounters warp(Completion::Late);
  warp.copies.on(kFirst).commit();
  warp.copies.on(kSecond).commit();
  EXPECT_EQ(warp.copies.on(kSecond).wait(0).size(), 1u);
  EXPECT_TRUE(warp.arrived(64));
  EXPECT_FALSE(warp.arrived(0));
  EXPECT_EQ(warp.copies.on(kFirst).wait(0).size(), 1u);
  EXPECT_TRUE(warp.arrived(0));
}

TEST(CopyQueues, ACommitIsOnItsOwnCounter) {
  TwoCounters warp(Completion::Late);
  warp.copies.on(kFirst).commit();
  EXPECT_EQ(warp.copies.on(kSecond).wait(0).size(), 0u) << "in no group yet";
  for (int group = 0; group < 3; ++group)
    warp.copies.on(kSecond).commit();
  EXPECT_EQ(warp.copies.on(kFirst).wait(1).size(), 0u) << "groups on the other counter do not age it";
  EXPECT_EQ(warp.copies.on(kSecond).wait(2).size(), 1u);
}

TEST(CopyQueues, TimePassesForAllCounters) {
  std::set<std::pair<bool, bool>> found; // which of the two copies has arrived after some time
  for (uint64_t seed = 0; seed < 200; ++seed) {
    TwoCounters warp(Completion::Random, seed);
    for (int step = 0; step < 6; ++step)
      warp.copies.step();
    found.insert({warp.arrived(0), warp.arrived(64)});
  }
  EXPECT_EQ(found.size(), 4u);
}

TEST(CopyQueues, DropForgetsTheCopiesOfAllCounters) {
  TwoCounters warp(Completion::Late);
  EXPECT_EQ(warp.copies.drop().size(), 2u);
  EXPECT_EQ(warp.copies.drop().size(), 0u);
}

} // namespace
} // namespace hocket::emulator
