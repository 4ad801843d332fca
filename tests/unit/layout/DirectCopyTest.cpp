//===- DirectCopyTest.cpp - Direct copies into shared memory --------------------------------===//
#include "layout/DirectCopy.h"

#include "layout/Factories.h"

#include <gtest/gtest.h>

#include <random>

using namespace hocket;

namespace {
constexpr int32_t kLanes = 4;

/// Returns the map (register, lane, warp) -> offset with these bases.
LinearLayout offsets(std::vector<int32_t> reg, std::vector<int32_t> lane, std::vector<int32_t> warp, int32_t size) {
  auto rows = [](const std::vector<int32_t> &bases) {
    BasisRows result;
    for (int32_t basis : bases)
      result.push_back({basis});
    return result;
  };
  const std::pair<Dim, BasisRows> bases[] = {
      {Dim::Register, rows(reg)}, {Dim::Lane, rows(lane)}, {Dim::Warp, rows(warp)}};
  const DimBits outs[] = {{Dim::Offset, uint8_t(log2Exact(size))}};
  return LinearLayout::fromBases(bases, outs);
}

DirectCopyProblem problemOf(const LinearLayout &toOffset, int32_t width, std::vector<Padding> paddings = {},
                            int32_t startBits = 0) {
  return planDirectCopy(toOffset, width, kLanes, paddings, startBits).problem;
}

/// Compares the hardware's behavior with the layout: lane l of a chunk is stored l x width after lane 0.
bool hardwareAgrees(const LinearLayout &toOffset, const DirectCopy &copy, int32_t width,
                    std::span<const Padding> paddings) {
  for (int32_t warp = 0; warp < toOffset.getInDimSize(Dim::Warp); ++warp)
    for (const std::vector<int32_t> &group : copy.access.groups) {
      auto place = [&](int32_t reg, int32_t lane) {
        return paddedOffset(toOffset.apply({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}})[Dim::Offset],
                            paddings);
      };
      for (int32_t lane = 0; lane < kLanes; ++lane)
        for (int32_t i = 0; i < width; ++i)
          if (place(group[i], lane) != place(group[0], 0) + lane * width + i)
            return false;
    }
  return true;
}
} // namespace

TEST(DirectCopy, LanesSideBySide) {
  // Two elements of a lane, four lanes, then another chunk of the same lanes, then the second warp.
  LinearLayout toOffset = offsets({1, 8}, {2, 4}, {16}, 32);
  DirectCopy copy = planDirectCopy(toOffset, 2, kLanes, {}, 0);
  ASSERT_EQ(copy.problem, DirectCopyProblem::None);
  EXPECT_EQ(copy.access.groups, (std::vector<std::vector<int32_t>>{{0, 1}, {2, 3}}));
}

TEST(DirectCopy, NamesTheProblem) {
  LinearLayout toOffset = offsets({1, 8}, {2, 4}, {16}, 32);
  EXPECT_EQ(problemOf(toOffset, 4), DirectCopyProblem::Registers);
  // The copy is narrower than the lane's contiguous elements, so lane 1 is two elements away.
  EXPECT_EQ(problemOf(toOffset, 1), DirectCopyProblem::Lanes);
  // Lanes in another order.
  EXPECT_EQ(problemOf(offsets({1, 8}, {4, 2}, {16}, 32), 2), DirectCopyProblem::Lanes);
  EXPECT_EQ(problemOf(offsets({1, 2}, {4, 0}, {8}, 16), 4), DirectCopyProblem::Lanes);
  // A swizzle: the second chunk has its lanes exchanged.
  EXPECT_EQ(problemOf(offsets({1, 8 ^ 2}, {2, 4}, {16}, 32), 2), DirectCopyProblem::Pieces);
  EXPECT_EQ(problemOf(offsets({1, 8}, {2, 4}, {16 ^ 4}, 32), 2), DirectCopyProblem::Pieces);
  EXPECT_EQ(problemOf(toOffset, 2, {{4, 2}}), DirectCopyProblem::Padding);
  EXPECT_EQ(problemOf(toOffset, 2, {{8, 1}}), DirectCopyProblem::PaddingSize);
  EXPECT_EQ(problemOf(toOffset, 2, {{8, 2}}), DirectCopyProblem::None);
  EXPECT_EQ(problemOf(toOffset, 2, {}, 4), DirectCopyProblem::ViewStart);
  EXPECT_EQ(problemOf(toOffset, 2, {}, 8), DirectCopyProblem::None);
}

TEST(DirectCopy, SaysWhatItFound) {
  DirectCopy copy = planDirectCopy(offsets({1}, {2, 8}, {4}, 16), 2, kLanes, {}, 0);
  EXPECT_EQ(copy.problem, DirectCopyProblem::Lanes);
  EXPECT_EQ(copy.lane, 2);
  EXPECT_EQ(copy.found, 8);
}

TEST(DirectCopy, FewerLanesThanAWarpHoldCopies) {
  EXPECT_EQ(problemOf(offsets({1}, {2}, {4}, 8), 2), DirectCopyProblem::Lanes);
}

TEST(DirectCopy, AgreesWithTheHardwareOnRandomLayouts) {
  std::mt19937 random(7);
  int copied = 0, refused = 0;
  for (int round = 0; round < 4000; ++round) {
    // Offset bits distributed over registers, lanes and a warp, sometimes in order, sometimes with an additional
    // swizzle.
    std::vector<int32_t> bits = {1, 2, 4, 8, 16, 32};
    if (random() % 2)
      std::shuffle(bits.begin(), bits.end(), random);
    if (random() % 3 == 0)
      bits[random() % 6] ^= 1 << random() % 6;
    int32_t width = 1 << random() % 3;
    std::vector<int32_t> reg, lane, warp;
    for (int32_t bit : bits)
      (int32_t(1 << reg.size()) < width ? reg : lane.size() < 2 ? lane : warp.empty() ? warp : reg).push_back(bit);
    LinearLayout toOffset = offsets(reg, lane, warp, 64);
    if (!toOffset.isInvertible())
      continue;
    std::vector<Padding> paddings;
    if (random() % 2)
      paddings.push_back({4 << random() % 3, 4});
    DirectCopy copy = planDirectCopy(toOffset, width, kLanes, paddings, 0);
    if (copy.problem == DirectCopyProblem::None) {
      ++copied;
      EXPECT_TRUE(hardwareAgrees(toOffset, copy, width, paddings)) << toOffset.toString();
    } else {
      ++refused;
      // Padding smaller than a chunk may happen to work if registers and warps never reach the second interval.
      bool byPadding = copy.problem == DirectCopyProblem::Padding || copy.problem == DirectCopyProblem::PaddingSize;
      if (copy.access.width == width && !byPadding)
        EXPECT_FALSE(hardwareAgrees(toOffset, copy, width, paddings)) << toOffset.toString();
    }
  }
  EXPECT_GT(copied, 300);
  EXPECT_GT(refused, 300);
}
