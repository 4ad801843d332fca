//===- MfmaConversionsTest.cpp - How values leave and enter matrix cores ----------===//
//
// Conversions between accumulators, operands, their slices and Blocked layouts: executed on element indices, and by
// what means.
//
//===------------------------------------------------------------------------------===//
#include "SimulatedBlock.h"

#include "analysis/plans/LaneSwapsPlan.h"
#include "layout/MfmaLayouts.h"
#include <gtest/gtest.h>

namespace hocket {

namespace {

using Ints = std::vector<int64_t>;

const TargetInfo &kCdna3 = *findTarget("gfx942");
const TargetInfo &kCdna4 = *findTarget("gfx950");

struct Mfma {
  int64_t side;
  bool transposed;
  Ints warps, tiles = {};
  operator MfmaParams() const { return {side, side, transposed, 32, warps, tiles}; }
};

std::string_view check(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                       const TargetInfo &target = kCdna4) {
  ConvertLayoutPlan plan = planConvertLayout(src, dst, elementBits, target);
  Registers<int64_t> result = std::visit([&](auto &moves) { return execute(moves, elementsOf(src)); }, plan);
  EXPECT_EQ(result, elementsOf(dst)) << "from\n" << src.toString() << "to\n" << dst.toString();
  static constexpr std::string_view kNames[] = {"registers", "shuffle", "shared"};
  return kNames[plan.index()];
}

LinearLayout blocked(Ints shape, Ints size, Ints threads, Ints warps) {
  return blockedLayout(shape, {size, threads, warps, Ints{1, 0}});
}

} // namespace

// Attention: the probabilities P = exp(Q K^T) are the left operand of P V.

TEST(MfmaConversions, TransposedAccumulatorsAreOperandsAsTheyAre) {
  for (int64_t side : {16, 32}) {
    Mfma mfma{side, true, {4, 1}};
    EXPECT_EQ(check(mfmaLayout(Ints{128, 64}, mfma), mfmaOperandLayout(0, 4, Ints{128, 64}, mfma), 16), "registers")
        << side;
  }
}

TEST(MfmaConversions, AccumulatorsAsTheRightOperand) {
  // Not transposed, four consecutive rows are four consecutive k of operand 1.
  for (int64_t side : {16, 32}) {
    Mfma mfma{side, false, {1, 4}};
    EXPECT_EQ(check(mfmaLayout(Ints{64, 128}, mfma), mfmaOperandLayout(1, 4, Ints{64, 128}, mfma), 16), "registers")
        << side;
  }
}

TEST(MfmaConversions, WiderOperandsExchangeHalvesOfTheWarp) {
  // Eight k in a lane come from two lanes: 32 apart, or 16.
  for (int64_t side : {16, 32}) {
    Mfma mfma{side, true, {4, 1}};
    for (unsigned bits : {8, 16})
      EXPECT_EQ(check(mfmaLayout(Ints{128, 64}, mfma), mfmaOperandLayout(0, 8, Ints{128, 64}, mfma), bits), "shuffle")
          << side << " " << bits;
  }
}

TEST(LaneSwaps, WiderOperandsAreSwaps) {
  for (auto [side, kWidth, laneMask] : {std::tuple<int64_t, int64_t, unsigned>{32, 8, 32}, {16, 8, 16}}) {
    Mfma mfma{side, true, {4, 1}};
    LinearLayout acc = mfmaLayout(Ints{128, 64}, mfma), operand = mfmaOperandLayout(0, kWidth, Ints{128, 64}, mfma);
    ConvertLayoutPlan plan = planConvertLayout(acc, operand, 16, kCdna4);
    auto &moves = std::get<ShuffleMoves>(plan);
    std::optional<LaneSwaps> swaps = tryLaneSwaps(moves, kCdna4);
    if (side == 32) {
      ASSERT_TRUE(swaps);
      EXPECT_EQ(swaps->laneMask, laneMask);
      EXPECT_EQ(swaps->swaps.size(), moves.words.size() / 2);
    } else {
      // Lanes 16 and 32 apart: two exchanges.
      EXPECT_FALSE(swaps);
    }
    EXPECT_FALSE(tryLaneSwaps(moves, kCdna3));
  }
}

TEST(LaneSwaps, TransposeOfTwoByTwo) {
  // Words 0 and 1 of lanes 16 apart.
  Ints shape = {64, 2};
  BasisRows lanes = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}}, swapped = lanes;
  swapped[4] = {0, 1};
  LinearLayout src = distributedFromBases({{0, 1}}, lanes, {}, {}, shape);
  LinearLayout dst = distributedFromBases({{16, 0}}, swapped, {}, {}, shape);
  ConvertLayoutPlan plan = planConvertLayout(src, dst, 32, kCdna4);
  std::optional<LaneSwaps> swaps = tryLaneSwaps(std::get<ShuffleMoves>(plan), kCdna4);
  ASSERT_TRUE(swaps);
  EXPECT_EQ(swaps->laneMask, 16u);
  EXPECT_EQ(swaps->swaps, (std::vector<std::pair<unsigned, unsigned>>{{0, 1}}));
  EXPECT_EQ(swaps->received[0].index, 0u);
  EXPECT_EQ(swaps->received[1].index, 1u);
}

TEST(LaneSwaps, NotForSelectsAlone) {
  // Lanes from 32 on want their two registers exchanged: nothing comes from another lane.
  Ints shape = {128};
  LinearLayout src = distributedFromBases({{64}}, {{1}, {2}, {4}, {8}, {16}, {32}}, {}, {}, shape);
  LinearLayout dst = distributedFromBases({{64}}, {{1}, {2}, {4}, {8}, {16}, {96}}, {}, {}, shape);
  ConvertLayoutPlan plan = planConvertLayout(src, dst, 32, kCdna4);
  EXPECT_FALSE(tryLaneSwaps(std::get<ShuffleMoves>(plan), kCdna4));
}

TEST(MfmaConversions, AccumulatorsNotTransposedAreNoLeftOperand) {
  Mfma mfma{32, false, {4, 1}};
  EXPECT_NE(check(mfmaLayout(Ints{128, 64}, mfma), mfmaOperandLayout(0, 4, Ints{128, 64}, mfma), 16), "registers");
  // Warps along N share the rows.
  Mfma wide{32, true, {2, 2}};
  EXPECT_EQ(check(mfmaLayout(Ints{128, 64}, wide), mfmaOperandLayout(0, 4, Ints{128, 64}, wide), 16), "shared");
}

TEST(MfmaConversions, BetweenInstructionsOfDifferentShapes) {
  Mfma from{32, true, {4, 1}}, to{16, true, {4, 1}, {2, 1}};
  EXPECT_EQ(check(mfmaLayout(Ints{128, 64}, from), mfmaLayout(Ints{128, 64}, to), 16), "shuffle");
}

TEST(MfmaConversions, ToRowsForStores) {
  Mfma mfma{32, true, {2, 2}};
  for (const TargetInfo *target : {&kCdna3, &kCdna4})
    for (unsigned bits : {16, 32}) {
      LinearLayout rows = blocked({128, 128}, {1, 8}, {4, 16}, {4, 1});
      EXPECT_EQ(check(mfmaLayout(Ints{128, 128}, mfma), rows, bits, *target), "shared");
      EXPECT_EQ(check(rows, mfmaOperandLayout(0, 8, Ints{128, 128}, mfma), bits, *target), "shared");
      EXPECT_EQ(check(rows, mfmaOperandLayout(1, 8, Ints{128, 128}, mfma), bits, *target), "shared");
    }
}

TEST(MfmaConversions, SlicesOfRowsBroadcastBack) {
  // A row maximum, made in the slice of the scores, is subtracted from them, and scales the other accumulators.
  Mfma scores{32, true, {4, 1}}, output{32, true, {4, 1}};
  LinearLayout fromScores = sliceLayout(mfmaLayout(Ints{128, 1}, scores), 1);
  LinearLayout ofOutput = sliceLayout(mfmaLayout(Ints{128, 1}, output), 1);
  EXPECT_EQ(check(fromScores, ofOutput, 32), "registers");
  LinearLayout flat = blockedLayout(Ints{128}, {Ints{1}, Ints{64}, Ints{4}, Ints{0}});
  check(fromScores, flat, 32);
  check(flat, fromScores, 32);
}

TEST(MfmaConversions, AnyPair) {
  std::vector<LinearLayout> layouts;
  Ints shape = {64, 64};
  for (bool transposed : {false, true})
    for (int64_t side : {16, 32})
      for (const Ints &warps : {Ints{4, 1}, Ints{2, 2}}) {
        Mfma mfma{side, transposed, warps, {1, 2}};
        layouts.push_back(mfmaLayout(shape, mfma));
        for (int64_t kWidth : {4, 8})
          for (unsigned opIdx : {0, 1})
            if (!transposed)
              layouts.push_back(mfmaOperandLayout(opIdx, kWidth, shape, mfma));
      }
  layouts.push_back(blocked(shape, {1, 8}, {4, 16}, {4, 1}));
  for (const LinearLayout &src : layouts)
    for (const LinearLayout &dst : layouts) {
      check(src, dst, 16);
      if (testing::Test::HasFailure())
        FAIL();
    }
}

} // namespace hocket
