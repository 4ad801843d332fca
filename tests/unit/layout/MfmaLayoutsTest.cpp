//===- MfmaLayoutsTest.cpp - Register layouts of MFMA, as tables and by formula ---===//
#include "layout/MfmaLayouts.h"

#include "DrawTable.h"

#include <gtest/gtest.h>

using namespace hocket;
using enum Dim;
using Ints = std::vector<int64_t>;

namespace {

struct Mfma {
  int64_t m, n;
  bool transposed = false;
  Ints warps = {1, 1}, tiles = {};
  int64_t elementBits = 32;
  operator MfmaParams() const { return {m, n, transposed, elementBits, warps, tiles}; }
};

/// Prints lane and register of the elements of some rows and columns, like drawTable.
std::string drawPart(const LinearLayout &layout, int rows, int columns) {
  std::string text = drawTable(layout), part = "\n";
  size_t start = 1;
  for (int row = 0; row < rows; ++row) {
    size_t end = text.find('\n', start), position = start;
    for (int column = 0; column < columns; ++column) {
      position = text.find_first_not_of(' ', position);
      size_t stop = std::min(text.find(' ', position), end);
      part += (column ? " " : "") + text.substr(position, stop - position);
      position = stop;
    }
    part += "\n";
    start = end + 1;
  }
  return part;
}

} // namespace

TEST(MfmaLayout, FourRowsInALane) {
  EXPECT_EQ(drawPart(mfmaLayout(Ints{16, 16}, Mfma{16, 16}), 6, 3), R"(
0:0 1:0 2:0
0:1 1:1 2:1
0:2 1:2 2:2
0:3 1:3 2:3
16:0 17:0 18:0
16:1 17:1 18:1
)");
}

TEST(MfmaLayout, TransposedHasFourColumnsInALane) {
  EXPECT_EQ(drawPart(mfmaLayout(Ints{32, 32}, Mfma{32, 32, true}), 2, 12), R"(
0:0 0:1 0:2 0:3 32:0 32:1 32:2 32:3 0:4 0:5 0:6 0:7
1:0 1:1 1:2 1:3 33:0 33:1 33:2 33:3 1:4 1:5 1:6 1:7
)");
}

TEST(MfmaLayout, F64HasOneRowInALane) {
  EXPECT_EQ(drawPart(mfmaLayout(Ints{16, 16}, Mfma{16, 16, false, {1, 1}, {}, 64}), 6, 2), R"(
0:0 1:0
16:0 17:0
32:0 33:0
48:0 49:0
0:1 1:1
16:1 17:1
)");
}

TEST(MfmaLayout, FollowsTheFormula) {
  for (auto [m, n] : {std::pair<int, int>{32, 32}, {16, 16}, {64, 4}, {4, 64}})
    for (bool transposed : {false, true}) {
      LinearLayout layout = mfmaLayout(Ints{m, n}, Mfma{m, n, transposed});
      ASSERT_EQ(layout.getInDimSize(Register), m * n / 64);
      int across = transposed ? m : n;
      for (int lane = 0; lane < 64; ++lane)
        for (int r = 0; r < m * n / 64; ++r) {
          int side = lane % across, down = 4 * (lane / across) + r % 4 + 256 / across * (r / 4);
          Coords place = layout.apply({{Register, r}, {Lane, lane}});
          ASSERT_EQ(place[Dim0], transposed ? side : down) << m << "x" << n << " lane " << lane << " register " << r;
          ASSERT_EQ(place[Dim1], transposed ? down : side);
        }
    }
}

TEST(MfmaLayout, SmallResultIsHeldByAllGroupsOfLanes) {
  LinearLayout layout = mfmaLayout(Ints{4, 4}, Mfma{4, 4});
  EXPECT_EQ(layout.getBasisRows(Register), (BasisRows{{1, 0}, {2, 0}}));
  EXPECT_EQ(layout.getBasisRows(Lane), (BasisRows{{0, 1}, {0, 2}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}));
}

TEST(MfmaLayout, TilesOfTheWarpThenWarpsThenRepetition) {
  // Along N: tiles at 16, warps at 32, repeated at 64. Along M: tiles at 16 and 32, warps at 64, repeated at 128.
  LinearLayout layout = mfmaLayout(Ints{256, 128}, Mfma{16, 16, false, {2, 2}, {4, 2}});
  EXPECT_EQ(layout.getBasisRows(Register), (BasisRows{{1, 0}, {2, 0}, {0, 16}, {0, 64}, {16, 0}, {32, 0}, {128, 0}}));
  EXPECT_EQ(layout.getBasisRows(Warp), (BasisRows{{0, 32}, {64, 0}}));
  EXPECT_TRUE(layout.isInvertible());
}

TEST(MfmaLayout, SmallerTensorIsHeldBySeveralLanes) {
  // 16 of 32 rows: the upper half of the registers is dropped, and the second warp along M holds copies.
  LinearLayout layout = mfmaLayout(Ints{16, 32}, Mfma{32, 32, false, {2, 1}});
  EXPECT_EQ(layout.getBasisRows(Register), (BasisRows{{1, 0}, {2, 0}, {8, 0}}));
  EXPECT_EQ(layout.getBasisRows(Warp), (BasisRows{{0, 0}}));
  // The tile has 8 of 32 columns: four lanes hold each element.
  EXPECT_EQ(mfmaLayout(Ints{32, 8}, Mfma{32, 32}).getBasisRows(Lane),
            (BasisRows{{0, 1}, {0, 2}, {0, 4}, {0, 0}, {0, 0}, {4, 0}}));
}

TEST(MfmaLayout, BatchesComeLast) {
  LinearLayout layout = mfmaLayout(Ints{8, 16, 16}, Mfma{16, 16, false, {2, 1, 2}});
  EXPECT_EQ(layout.getBasisRows(Warp), (BasisRows{{0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(layout.getBasisRows(Register), (BasisRows{{0, 1, 0}, {0, 2, 0}, {2, 0, 0}, {4, 0, 0}}));
}

TEST(MfmaOperandLayout, ConsecutiveAlongKInALane) {
  EXPECT_EQ(drawPart(mfmaOperandLayout(0, 4, Ints{16, 16}, Mfma{16, 16}), 2, 9), R"(
0:0 0:1 0:2 0:3 16:0 16:1 16:2 16:3 32:0
1:0 1:1 1:2 1:3 17:0 17:1 17:2 17:3 33:0
)");
  EXPECT_EQ(drawPart(mfmaOperandLayout(1, 2, Ints{8, 32}, Mfma{32, 32}), 6, 2), R"(
0:0 1:0
0:1 1:1
32:0 33:0
32:1 33:1
0:2 1:2
0:3 1:3
)");
}

TEST(MfmaOperandLayout, FollowsTheFormula) {
  for (auto [m, n] : {std::pair<int, int>{32, 32}, {16, 16}, {4, 4}})
    for (int kWidth : {1, 2, 4, 8, 16}) {
      int tile = 64 / m * kWidth, depth = 2 * tile;
      LinearLayout a = mfmaOperandLayout(0, kWidth, Ints{m, depth}, Mfma{m, n});
      LinearLayout b = mfmaOperandLayout(1, kWidth, Ints{depth, n}, Mfma{m, n});
      for (int lane = 0; lane < 64; ++lane)
        for (int r = 0; r < 2 * kWidth; ++r) {
          int k = kWidth * (lane / m) + r % kWidth + tile * (r / kWidth);
          Coords left = a.apply({{Register, r}, {Lane, lane}}), right = b.apply({{Register, r}, {Lane, lane}});
          ASSERT_EQ(left[Dim0], lane % m);
          ASSERT_EQ(left[Dim1], k) << m << "x" << n << " kWidth " << kWidth << " lane " << lane << " register " << r;
          ASSERT_EQ(right[Dim0], k);
          ASSERT_EQ(right[Dim1], lane % n);
        }
    }
}

TEST(MfmaOperandLayout, ShortSideIsTheSameInAllGroupsOfLanes) {
  Mfma tall{64, 4};
  EXPECT_EQ(mfmaOperandLayout(0, 4, Ints{64, 8}, tall).getBasisRows(Lane),
            (BasisRows{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}}));
  EXPECT_EQ(mfmaOperandLayout(1, 4, Ints{8, 4}, tall).getBasisRows(Lane),
            (BasisRows{{0, 1}, {0, 2}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}));
  EXPECT_EQ(mfmaOperandLayout(1, 4, Ints{8, 4}, tall).getBasisRows(Register), (BasisRows{{1, 0}, {2, 0}, {4, 0}}));
}

TEST(MfmaOperandLayout, WarpsOfTheOtherDimensionHoldCopies) {
  Mfma mfma{16, 16, false, {4, 2}, {2, 1}};
  LinearLayout a = mfmaOperandLayout(0, 8, Ints{128, 32}, mfma), b = mfmaOperandLayout(1, 8, Ints{32, 64}, mfma);
  EXPECT_EQ(a.getBasisRows(Warp), (BasisRows{{0, 0}, {32, 0}, {64, 0}}));
  EXPECT_EQ(b.getBasisRows(Warp), (BasisRows{{0, 16}, {0, 0}, {0, 0}}));
  // Lane and warp bits of an accumulator and its operands agree.
  LinearLayout acc = mfmaLayout(Ints{128, 64}, mfma);
  for (unsigned bit = 0; bit < 3; ++bit) {
    EXPECT_EQ(acc.getBasis(Warp, bit, Dim0), a.getBasis(Warp, bit, Dim0));
    EXPECT_EQ(acc.getBasis(Warp, bit, Dim1), b.getBasis(Warp, bit, Dim1));
  }
}

TEST(MfmaOperandLayout, Batches) {
  Mfma mfma{16, 16, false, {2, 2, 1}};
  EXPECT_EQ(mfmaOperandLayout(0, 4, Ints{4, 32, 16}, mfma).getBasisRows(Warp), (BasisRows{{0, 16, 0}, {1, 0, 0}}));
  EXPECT_EQ(mfmaOperandLayout(1, 4, Ints{4, 16, 16}, mfma).getBasisRows(Warp), (BasisRows{{0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(mfmaOperandLayout(1, 4, Ints{4, 16, 16}, mfma).getBasisRows(Register),
            (BasisRows{{0, 1, 0}, {0, 2, 0}, {2, 0, 0}}));
}

TEST(MfmaScaleLayout, OneOfEachInstructionInALane) {
  // 16x16x128: four groups of 32 along K for each row; then the next instruction along K, then along M.
  LinearLayout a = mfmaScaleLayout(0, Ints{64, 8}, Mfma{16, 16, false, {2, 1}});
  EXPECT_EQ(a.getBasisRows(Lane), (BasisRows{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 1}, {0, 2}}));
  EXPECT_EQ(a.getBasisRows(Register), (BasisRows{{0, 4}, {32, 0}}));
  EXPECT_EQ(a.getBasisRows(Warp), (BasisRows{{16, 0}}));
  LinearLayout b = mfmaScaleLayout(1, Ints{32, 4}, Mfma{32, 32, false, {2, 1}});
  EXPECT_EQ(b.getBasisRows(Lane), (BasisRows{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 1}}));
  EXPECT_EQ(b.getBasisRows(Register), (BasisRows{{0, 2}}));
  EXPECT_EQ(b.getBasisRows(Warp), (BasisRows{{0, 0}}));
}
