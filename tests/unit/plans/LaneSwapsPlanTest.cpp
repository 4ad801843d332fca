//===- LaneSwapsPlanTest.cpp - Register swaps between lanes, executed -------------===//
#include "SimulatedBlock.h"

#include "layout/MfmaLayouts.h"
#include "plans/LaneSwapsPlan.h"
#include <gtest/gtest.h>

namespace hocket {

namespace {

using Ints = std::vector<int64_t>;

const TargetInfo &kCdna3 = *findTarget("gfx942");
const TargetInfo &kCdna4 = *findTarget("gfx950");

struct Mfma {
  int64_t side;
  bool transposed;
  Ints warps;
  operator MfmaParams() const { return {side, side, transposed, 32, warps, {}}; }
};

/// Returns the result registers of one warp, by lane: swaps words like the instruction, then splits them into elements.
std::vector<std::vector<int64_t>> execute(const LaneSwaps &swaps, const ShuffleMoves &moves,
                                          const std::vector<std::vector<int64_t>> &operand) {
  std::vector<std::vector<int64_t>> result;
  for (unsigned lane = 0; lane < operand.size(); ++lane) {
    const std::vector<int64_t> &own = operand[lane], &partner = operand[lane ^ swaps.laneMask];
    bool isFirst = !(lane & swaps.laneMask);
    auto &registers = result.emplace_back();
    for (unsigned reg = 0; reg < moves.resultWord.size(); ++reg) {
      unsigned position = moves.resultPosition[reg];
      LaneSwaps::Source source = swaps.received[moves.resultWord[reg]];
      if (!source.swap) {
        registers.push_back(own[moves.words[source.index][position]]);
        continue;
      }
      auto [a, b] = swaps.swaps[*source.swap];
      // The first lane receives word a of both lanes, the second lane receives word b of both.
      unsigned word = isFirst ? a : b;
      bool isOwn = isFirst == (source.index == 0);
      registers.push_back((isOwn ? own : partner)[moves.words[word][position]]);
    }
  }
  return result;
}

} // namespace

TEST(LaneSwapsPlan, WiderOperandsAreSwaps) {
  for (auto [side, kWidth, laneMask] : {std::tuple<int64_t, int64_t, unsigned>{32, 8, 32}, {16, 8, 16}}) {
    Mfma mfma{side, true, {4, 1}};
    LinearLayout acc = mfmaLayout(Ints{128, 64}, mfma), operand = mfmaOperandLayout(0, kWidth, Ints{128, 64}, mfma);
    ConvertLayoutPlan plan = *planConvertLayout(acc, operand, 16, kCdna4);
    auto &moves = std::get<ShuffleMoves>(plan);
    std::optional<LaneSwaps> swaps = tryLaneSwaps(moves, kCdna4);
    if (side == 32) {
      ASSERT_TRUE(swaps);
      EXPECT_EQ(swaps->laneMask, laneMask);
      EXPECT_EQ(swaps->swaps.size(), moves.words.size() / 2);
    } else {
      // The elements come from lanes 16 and 32 apart, which takes two exchanges.
      EXPECT_FALSE(swaps);
    }
    EXPECT_FALSE(tryLaneSwaps(moves, kCdna3));
  }
}

TEST(LaneSwapsPlan, TransposeOfTwoByTwo) {
  // The words 0 and 1 of lanes that are 16 apart are transposed.
  Ints shape = {64, 2};
  BasisRows lanes = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}}, swapped = lanes;
  swapped[4] = {0, 1};
  LinearLayout src = distributedFromBases({{0, 1}}, lanes, {}, {}, shape);
  LinearLayout dst = distributedFromBases({{16, 0}}, swapped, {}, {}, shape);
  ConvertLayoutPlan plan = *planConvertLayout(src, dst, 32, kCdna4);
  std::optional<LaneSwaps> swaps = tryLaneSwaps(std::get<ShuffleMoves>(plan), kCdna4);
  ASSERT_TRUE(swaps);
  EXPECT_EQ(swaps->laneMask, 16u);
  EXPECT_EQ(swaps->swaps, (std::vector<std::pair<unsigned, unsigned>>{{0, 1}}));
  EXPECT_EQ(swaps->received[0].index, 0u);
  EXPECT_EQ(swaps->received[1].index, 1u);
}

TEST(LaneSwapsPlan, NotForSelectsAlone) {
  // Lanes from 32 on exchange their two registers: no data come from another lane.
  Ints shape = {128};
  LinearLayout src = distributedFromBases({{64}}, {{1}, {2}, {4}, {8}, {16}, {32}}, {}, {}, shape);
  LinearLayout dst = distributedFromBases({{64}}, {{1}, {2}, {4}, {8}, {16}, {96}}, {}, {}, shape);
  ConvertLayoutPlan plan = *planConvertLayout(src, dst, 32, kCdna4);
  EXPECT_FALSE(tryLaneSwaps(std::get<ShuffleMoves>(plan), kCdna4));
}

/// Random layouts in which, among other changes, a register bit is exchanged with a lane bit.
TEST(LaneSwapsPlan, SwapsMoveEveryElement) {
  std::mt19937 random(17);
  const DimBits tile[] = {{Dim::Dim0, 6}, {Dim::Dim1, 3}};
  unsigned planned = 0;
  for (int i = 0; i < 400; ++i) {
    LinearLayout src = drawPlainLayout(random, {3, 6, 0}, tile), dst = src;
    auto exchange = [&](Dim a, unsigned bitA, Dim b, unsigned bitB) {
      uint64_t basisA = dst.getFlatBases(a)[bitA], basisB = dst.getFlatBases(b)[bitB];
      dst.setBasis(a, bitA, dst.unflattenOut(basisB));
      dst.setBasis(b, bitB, dst.unflattenOut(basisA));
    };
    exchange(Dim::Register, random() % 3, Dim::Register, random() % 3);
    exchange(Dim::Register, random() % 3, Dim::Lane, 3 + random() % 3);
    if (random() % 4 == 0)
      exchange(Dim::Register, random() % 3, Dim::Lane, 3 + random() % 3);
    unsigned elementBits = 8u << random() % 3;
    ConvertLayoutPlan plan = *planConvertLayout(src, dst, elementBits, kCdna4);
    auto *moves = std::get_if<ShuffleMoves>(&plan);
    if (!moves)
      continue;
    if (std::optional<LaneSwaps> swaps = tryLaneSwaps(*moves, kCdna4)) {
      ++planned;
      EXPECT_TRUE(swaps->laneMask == 16 || swaps->laneMask == 32) << swaps->laneMask;
      ASSERT_EQ(execute(*swaps, *moves, elementsOf(src)[0]), elementsOf(dst)[0]) << "from\n"
                                                                                 << src.toString() << "to\n"
                                                                                 << dst.toString();
    }
  }
  EXPECT_GT(planned, 50u);
}

} // namespace hocket
