//===- MfmaConversionsTest.cpp - Conversions from and to MFMA layouts -------------===//
//
// Conversions between accumulators, operands, their slices and Blocked layouts: executed on element indices, with
// checks of the kind of plan.
//
//===------------------------------------------------------------------------------===//
#include "SimulatedBlock.h"

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
  ConvertLayoutPlan plan = *planConvertLayout(src, dst, elementBits, target);
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
  // The eight k of a lane come from two lanes: 32 apart, or 16.
  for (int64_t side : {16, 32}) {
    Mfma mfma{side, true, {4, 1}};
    for (unsigned bits : {8, 16})
      EXPECT_EQ(check(mfmaLayout(Ints{128, 64}, mfma), mfmaOperandLayout(0, 8, Ints{128, 64}, mfma), bits), "shuffle")
          << side << " " << bits;
  }
}

TEST(MfmaConversions, AccumulatorsNotTransposedAreNoLeftOperand) {
  Mfma mfma{32, false, {4, 1}};
  EXPECT_EQ(check(mfmaLayout(Ints{128, 64}, mfma), mfmaOperandLayout(0, 4, Ints{128, 64}, mfma), 16), "shared");
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
  // A row max, computed in the slice of the scores, is subtracted from them, and scales the other accumulators.
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
