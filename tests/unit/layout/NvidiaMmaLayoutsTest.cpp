//===- NvidiaMmaLayoutsTest.cpp - Register layouts of mma.sync and wgmma, as tables and by formula -===//
#include "layout/NvidiaMmaLayouts.h"

#include "DrawTable.h"

#include <gtest/gtest.h>

using namespace hocket;
using enum Dim;
using Ints = std::vector<int64_t>;

namespace {

struct Mma {
  int64_t version = 2;
  Ints warps = {1, 1};
  int64_t n = 8;
  operator NvidiaMmaParams() const { return {version, warps, n}; }
};

Coords at(const LinearLayout &layout, int32_t reg, int32_t lane, int32_t warp = 0) {
  return layout.apply({{Register, reg}, {Lane, lane}, {Warp, warp}, {Block, 0}});
}

} // namespace

TEST(NvidiaMmaLayout, TwoColumnsInTwoRows) {
  EXPECT_EQ(drawTable(nvidiaMmaLayout(Ints{16, 8}, Mma{})), R"(
 0:0  0:1  1:0  1:1  2:0  2:1  3:0  3:1
 4:0  4:1  5:0  5:1  6:0  6:1  7:0  7:1
 8:0  8:1  9:0  9:1 10:0 10:1 11:0 11:1
12:0 12:1 13:0 13:1 14:0 14:1 15:0 15:1
16:0 16:1 17:0 17:1 18:0 18:1 19:0 19:1
20:0 20:1 21:0 21:1 22:0 22:1 23:0 23:1
24:0 24:1 25:0 25:1 26:0 26:1 27:0 27:1
28:0 28:1 29:0 29:1 30:0 30:1 31:0 31:1
 0:2  0:3  1:2  1:3  2:2  2:3  3:2  3:3
 4:2  4:3  5:2  5:3  6:2  6:3  7:2  7:3
 8:2  8:3  9:2  9:3 10:2 10:3 11:2 11:3
12:2 12:3 13:2 13:3 14:2 14:3 15:2 15:3
16:2 16:3 17:2 17:3 18:2 18:3 19:2 19:3
20:2 20:3 21:2 21:3 22:2 22:3 23:2 23:3
24:2 24:3 25:2 25:3 26:2 26:3 27:2 27:3
28:2 28:3 29:2 29:3 30:2 30:3 31:2 31:3
)");
}

TEST(NvidiaMmaLayout, WarpsFollowEachOtherAlongNFirst) {
  LinearLayout layout = nvidiaMmaLayout(Ints{64, 64}, Mma{2, {2, 2}});
  EXPECT_EQ(at(layout, 0, 0, 1), (Coords{{tensorDim(0), 0}, {tensorDim(1), 8}}));
  EXPECT_EQ(at(layout, 0, 0, 2), (Coords{{tensorDim(0), 16}, {tensorDim(1), 0}}));
  EXPECT_EQ(at(layout, 4, 0), (Coords{{tensorDim(0), 0}, {tensorDim(1), 16}}));
}

TEST(NvidiaMmaLayout, AWarpgroupLiesAlongM) {
  LinearLayout layout = nvidiaMmaLayout(Ints{128, 64}, Mma{3, {4, 2}, 32});
  EXPECT_EQ(at(layout, 4, 0), (Coords{{tensorDim(0), 0}, {tensorDim(1), 8}}));
  EXPECT_EQ(at(layout, 0, 0, 1), (Coords{{tensorDim(0), 16}, {tensorDim(1), 0}}));
  EXPECT_EQ(at(layout, 0, 0, 4), (Coords{{tensorDim(0), 0}, {tensorDim(1), 32}}));
  EXPECT_EQ(at(layout, 16, 0), (Coords{{tensorDim(0), 64}, {tensorDim(1), 0}}));
}

TEST(NvidiaMmaOperandLayout, RowsOfAAsTheFormulaSays) {
  for (int32_t kWidth : {1, 2, 4, 8}) {
    LinearLayout layout = nvidiaMmaOperandLayout(0, kWidth, Ints{32, 16 * kWidth}, Mma{2, {1, 1}});
    for (int32_t lane = 0; lane < 32; ++lane)
      for (int32_t reg = 0; reg < 4 * kWidth; ++reg) {
        int32_t i = reg % kWidth, row = lane / 4 + 8 * (reg / kWidth % 2);
        int32_t k = kWidth * (lane % 4) + i + 4 * kWidth * (reg / kWidth / 2);
        EXPECT_EQ(at(layout, reg, lane), (Coords{{tensorDim(0), row}, {tensorDim(1), k}}));
      }
  }
}

TEST(NvidiaMmaOperandLayout, ColumnsOfBAsTheFormulaSays) {
  for (int32_t kWidth : {1, 2, 4, 8}) {
    LinearLayout layout = nvidiaMmaOperandLayout(1, kWidth, Ints{16 * kWidth, 16}, Mma{2, {1, 1}});
    for (int32_t lane = 0; lane < 32; ++lane)
      for (int32_t reg = 0; reg < 2 * kWidth; ++reg) {
        int32_t k = kWidth * (lane % 4) + reg % kWidth + 4 * kWidth * (reg / kWidth);
        EXPECT_EQ(at(layout, reg, lane), (Coords{{tensorDim(0), k}, {tensorDim(1), lane / 4}}));
      }
  }
}

TEST(NvidiaMmaOperandLayout, WarpsThatDifferAlongTheOtherDimensionHoldCopies) {
  Mma mma{2, {2, 4}};
  LinearLayout acc = nvidiaMmaLayout(Ints{64, 64}, mma), a = nvidiaMmaOperandLayout(0, 2, Ints{64, 32}, mma),
               b = nvidiaMmaOperandLayout(1, 2, Ints{32, 64}, mma);
  for (int32_t warp = 0; warp < 8; ++warp) {
    EXPECT_EQ(at(a, 0, 0, warp)[tensorDim(0)], at(acc, 0, 0, warp)[tensorDim(0)]);
    EXPECT_EQ(at(a, 0, 0, warp)[tensorDim(1)], 0);
    EXPECT_EQ(at(b, 0, 0, warp)[tensorDim(1)], at(acc, 0, 0, warp)[tensorDim(1)]);
    EXPECT_EQ(at(b, 0, 0, warp)[tensorDim(0)], 0);
  }
}

TEST(NvidiaMmaLayout, BatchesGoToTheLastWarps) {
  LinearLayout layout = nvidiaMmaLayout(Ints{4, 16, 16}, Mma{2, {2, 1, 2}});
  EXPECT_EQ(at(layout, 0, 0, 1), (Coords{{tensorDim(0), 0}, {tensorDim(1), 0}, {tensorDim(2), 8}}));
  EXPECT_EQ(at(layout, 0, 0, 2), (Coords{{tensorDim(0), 1}, {tensorDim(1), 0}, {tensorDim(2), 0}}));
}
