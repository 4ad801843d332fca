//===- FactoriesTest.cpp - Users' layouts, as tables ------------------------------===//
#include "layout/Factories.h"

#include "DrawTable.h"

#include <gtest/gtest.h>

using namespace hocket;
using enum Dim;
using Ints = std::vector<int64_t>;

struct Blocked {
  Ints size, threads, warps, order;
  operator BlockedParams() const { return {size, threads, warps, order}; }
};

static const Blocked kSmall{{1, 2}, {2, 2}, {2, 1}, {1, 0}};

TEST(BlockedLayout, ExampleOfTheHeader) {
  EXPECT_EQ(drawTable(blockedLayout(Ints{4, 8}, kSmall)), R"(
0.0:0 0.0:1 0.1:0 0.1:1 0.0:2 0.0:3 0.1:2 0.1:3
0.2:0 0.2:1 0.3:0 0.3:1 0.2:2 0.2:3 0.3:2 0.3:3
1.0:0 1.0:1 1.1:0 1.1:1 1.0:2 1.0:3 1.1:2 1.1:3
1.2:0 1.2:1 1.3:0 1.3:1 1.2:2 1.2:3 1.3:2 1.3:3
)");
}

TEST(BlockedLayout, OrderSaysWhichDimensionIsFast) {
  EXPECT_EQ(drawTable(blockedLayout(Ints{4, 4}, Blocked{{2, 1}, {2, 2}, {1, 2}, {0, 1}})), R"(
0.0:0 0.2:0 1.0:0 1.2:0
0.0:1 0.2:1 1.0:1 1.2:1
0.1:0 0.3:0 1.1:0 1.3:0
0.1:1 0.3:1 1.1:1 1.3:1
)");
}

TEST(BlockedLayout, SmallTensorIsHeldByManyLanes) {
  // Two of four columns remain: there are still two registers, and lanes 0 and 1 hold copies.
  EXPECT_EQ(drawTable(blockedLayout(Ints{4, 2}, kSmall)), R"(
0.0:0|0.1:0 0.0:1|0.1:1
0.2:0|0.3:0 0.2:1|0.3:1
1.0:0|1.1:0 1.0:1|1.1:1
1.2:0|1.3:0 1.2:1|1.3:1
)");
  // One column: registers are never copies.
  EXPECT_EQ(blockedLayout(Ints{4, 1}, kSmall).getInDimSize(Register), 1);
}

TEST(BlockedLayout, RegistersRepeatAlongTheFastDimensionFirst) {
  LinearLayout layout = blockedLayout(Ints{8, 8}, kSmall);
  EXPECT_EQ(layout.getBasisRows(Register), (BasisRows{{0, 1}, {0, 4}, {4, 0}}));
  EXPECT_EQ(layout.getOutDims()[0].dim, Dim0);
  EXPECT_TRUE(layout.isInvertible());
}

TEST(SliceLayout, ProjectsOneDimensionAway) {
  // Rows of the example: both lanes of a row hold its element.
  EXPECT_EQ(drawTable(sliceLayout(blockedLayout(Ints{4, 1}, kSmall), 1)), R"(
0.0:0|0.1:0 0.2:0|0.3:0 1.0:0|1.1:0 1.2:0|1.3:0
)");
  // Columns: all lanes of a column, in both warps.
  LinearLayout columns = sliceLayout(blockedLayout(Ints{1, 8}, kSmall), 0);
  EXPECT_EQ(columns.getBasisRows(Register), (BasisRows{{1}, {4}}));
  EXPECT_EQ(columns.getBasisRows(Lane), (BasisRows{{2}, {0}}));
  EXPECT_EQ(columns.getBasisRows(Warp), (BasisRows{{0}}));
}

TEST(DistributedFromBases, SameAsByHand) {
  LinearLayout layout = distributedFromBases({{0, 1}}, {{0, 2}, {1, 0}}, {}, {}, Ints{2, 4});
  EXPECT_EQ(drawTable(layout), R"(
0:0 0:1 1:0 1:1
2:0 2:1 3:0 3:1
)");
}

TEST(FmaDotOperandLayout, LanesHoldWholePanels) {
  // Accumulator 4 x 4: lane (row pair, column) as in the table; warps along rows.
  Blocked parent{{1, 1}, {2, 2}, {2, 1}, {1, 0}};
  EXPECT_EQ(drawTable(blockedLayout(Ints{4, 2}, parent)), R"(
0.0:0 0.1:0
0.2:0 0.3:0
1.0:0 1.1:0
1.2:0 1.3:0
)");
  // Operand 0, 4 x 2: every lane holds its whole row.
  EXPECT_EQ(drawTable(fmaDotOperandLayout(0, Ints{4, 2}, parent)), R"(
0.0:0|0.1:0 0.0:1|0.1:1
0.2:0|0.3:0 0.2:1|0.3:1
1.0:0|1.1:0 1.0:1|1.1:1
1.2:0|1.3:0 1.2:1|1.3:1
)");
  // Operand 1, 2 x 2: every lane holds its whole column.
  EXPECT_EQ(drawTable(fmaDotOperandLayout(1, Ints{2, 2}, parent)), R"(
0.0:0|0.2:0|1.0:0|1.2:0 0.1:0|0.3:0|1.1:0|1.3:0
0.0:1|0.2:1|1.0:1|1.2:1 0.1:1|0.3:1|1.1:1|1.3:1
)");
}

TEST(SwizzledSharedLayout, ExampleOfTheHeader) {
  // Offset of each element; the header shows the inverse.
  EXPECT_EQ(drawTable(swizzledSharedLayout(Ints{4, 8}, 2, 1, 4, Ints{1, 0})), R"(
 0  1  2  3  4  5  6  7
10 11  8  9 14 15 12 13
20 21 22 23 16 17 18 19
30 31 28 29 26 27 24 25
)");
}

TEST(SwizzledSharedLayout, PerPhaseGroupsRows) {
  EXPECT_EQ(drawTable(swizzledSharedLayout(Ints{4, 4}, 1, 2, 2, Ints{1, 0})), R"(
 0  1  2  3
 4  5  6  7
 9  8 11 10
13 12 15 14
)");
}

TEST(SwizzledSharedLayout, FormulaHolds) {
  for (int64_t vec : {1, 2, 8})
    for (int64_t perPhase : {1, 2, 4})
      for (int64_t maxPhase : {1, 2, 8}) {
        LinearLayout inverse = swizzledSharedLayout(Ints{16, 64}, vec, perPhase, maxPhase, Ints{1, 0}).invert();
        for (int32_t row = 0; row < 16; ++row)
          for (int32_t column = 0; column < 64; ++column) {
            int64_t phase = row / perPhase % maxPhase;
            int64_t stored = (column / vec ^ phase) * vec + column % vec;
            EXPECT_EQ(inverse.apply({{Dim0, row}, {Dim1, column}})[Offset], row * 64 + stored);
          }
      }
}

TEST(SwizzledSharedLayout, ColumnMajorAndThreeDimensions) {
  EXPECT_EQ(drawTable(swizzledSharedLayout(Ints{4, 2}, 1, 1, 1, Ints{0, 1})), R"(
0 4
1 5
2 6
3 7
)");
  LinearLayout planes = swizzledSharedLayout(Ints{2, 4, 4}, 1, 1, 4, Ints{2, 1, 0});
  EXPECT_EQ(planes.getBasisRows(Offset), (BasisRows{{0, 0, 1}, {0, 0, 2}, {0, 1, 1}, {0, 2, 2}, {1, 0, 0}}));
}

TEST(Padding, AddsAfterEachInterval) {
  const Padding pairs[] = {{4, 1}, {8, 2}};
  //            0 1 2 3 | 4 ...   | 8: two intervals of 4, one of 8
  EXPECT_EQ(paddedOffset(3, pairs), 3);
  EXPECT_EQ(paddedOffset(4, pairs), 5);
  EXPECT_EQ(paddedOffset(8, pairs), 12);
  // The padding after the last element is not part of the buffer.
  EXPECT_EQ(paddedSize(8, pairs), 9);
  EXPECT_EQ(paddedSize(16, {}), 16);
}
