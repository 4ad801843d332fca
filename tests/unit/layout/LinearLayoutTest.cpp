//===- LinearLayoutTest.cpp - Bases, application, ranks, free bits, printing -------------------===//
#include "layout/LinearLayout.h"

#include "DrawTable.h"

#include <gtest/gtest.h>

using namespace hocket;
using enum Dim;
using DimList = LinearLayout::DimList;

/// The 4 x 2 tile of LinearLayout.h.
static LinearLayout swappedColumns() {
  const std::pair<Dim, BasisRows> bases[] = {{Register, {{0, 1}}}, {Lane, {{1, 1}, {2, 0}}}};
  return LinearLayout::fromBases(bases, DimList{{Dim0, 2}, {Dim1, 1}});
}

TEST(LinearLayout, ExampleOfTheHeader) {
  LinearLayout layout = swappedColumns();
  EXPECT_EQ(drawTable(layout), R"(
0:0 0:1
1:1 1:0
2:0 2:1
3:1 3:0
)");
  EXPECT_EQ(layout.apply({{Register, 1}, {Lane, 3}}), (Coords{{Dim0, 3}, {Dim1, 0}}));
  EXPECT_TRUE(layout.isInvertible());
}

TEST(LinearLayout, IsLinear) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    LinearLayout layout = randomLayout(random, DimList{{Register, 3}, {Lane, 4}}, DimList{{Dim0, 5}, {Dim1, 4}});
    uint64_t a = random() & 127, b = random() & 127;
    EXPECT_EQ(layout.applyFlat(a ^ b), layout.applyFlat(a) ^ layout.applyFlat(b));
  }
}

TEST(LinearLayout, SizesAndBases) {
  LinearLayout layout = swappedColumns();
  EXPECT_EQ(layout.getInDimSize(Lane), 4);
  EXPECT_EQ(layout.getInDimSizeLog2(Lane), 2u);
  EXPECT_EQ(layout.getInDimSize(Warp), 1) << "a dimension that is absent has one value";
  EXPECT_EQ(layout.getOutDimSize(Dim0), 4);
  EXPECT_EQ(layout.getTotalInDimSize(), 8);
  EXPECT_EQ(layout.getBasis(Lane, 0, Dim1), 1);
  EXPECT_EQ(layout.getBasis(Lane, 1), (Coords{{Dim0, 2}, {Dim1, 0}}));
  EXPECT_EQ(layout.getBasisRows(Lane), (BasisRows{{1, 1}, {2, 0}}));
}

TEST(LinearLayout, FirstDimensionIsTheFastest) {
  LinearLayout layout = swappedColumns();
  // (dim0, dim1) = (3, 1) flattens to 3 + 4 * 1.
  EXPECT_EQ(layout.flattenOut(Coords{{Dim0, 3}, {Dim1, 1}}), 7u);
  EXPECT_EQ(layout.unflattenOut(6), (Coords{{Dim0, 2}, {Dim1, 1}}));
  EXPECT_EQ(layout.flattenIn(Coords{{Register, 1}, {Lane, 2}}), 5u);
}

TEST(LinearLayout, RankAndKinds) {
  // Two lanes hold the same element: the layout is surjective, but not injective.
  LinearLayout copies = LinearLayout::identity1D(4, Register, Dim0) * LinearLayout::zeros1D(2, Lane, Dim0);
  EXPECT_EQ(copies.getRank(), 2u);
  EXPECT_TRUE(copies.isSurjective());
  EXPECT_FALSE(copies.isInjective());
  // Four registers hold a part of a tile of eight: the layout is injective, but not surjective.
  LinearLayout part = LinearLayout::zeros(DimList{{Register, 2}}, DimList{{Dim0, 3}});
  part.setBasis(Register, 0, Coords{{Dim0, 1}});
  part.setBasis(Register, 1, Coords{{Dim0, 4}});
  EXPECT_TRUE(part.isInjective());
  EXPECT_FALSE(part.isSurjective());
}

TEST(LinearLayout, FreeVariablesAreTheLaterCopies) {
  //            dim0
  // register 1   1
  // lane     1   2
  // lane     2   3   = 1 ^ 2: free
  // warp     1   0       free
  const std::pair<Dim, BasisRows> bases[] = {{Register, {{1}}}, {Lane, {{2}, {3}}}, {Warp, {{0}}}};
  LinearLayout layout = LinearLayout::fromBases(bases, DimList{{Dim0, 2}});
  EXPECT_EQ(layout.getFreeVariableMasks(), (Coords{{Register, 0}, {Lane, 2}, {Warp, 1}}));
}

TEST(LinearLayout, FreeVariablesLeaveEachElementOnce) {
  std::mt19937 random(4);
  for (int round = 0; round < 50; ++round) {
    LinearLayout layout =
        randomSurjection(random, DimList{{Register, 3}, {Lane, 4}, {Warp, 2}}, DimList{{Dim0, 3}, {Dim1, 3}});
    uint64_t free = layout.flattenIn(layout.getFreeVariableMasks());
    std::vector<int> seen(64);
    for (uint64_t i = 0; i < 512; ++i)
      if (!(i & free))
        ++seen[layout.applyFlat(i)];
    EXPECT_EQ(seen, std::vector<int>(64, 1));
  }
}

TEST(LinearLayout, SublayoutIsZero) {
  LinearLayout layout = swappedColumns();
  EXPECT_TRUE(layout.sublayoutIsZero({Register}, {Dim0}));
  EXPECT_FALSE(layout.sublayoutIsZero({Lane}, {Dim1}));
  EXPECT_TRUE(layout.sublayoutIsZero({Warp}, {Dim0, Dim1}));
}

TEST(LinearLayout, ConsecutiveElements) {
  EXPECT_EQ(LinearLayout::identity1D(8, Register, Dim0).getNumConsecutiveInOut(), 8);
  // Lane 1 starts a run at element 6, so runs of 4 would not be aligned.
  const std::pair<Dim, BasisRows> bases[] = {{Register, {{1}, {2}}}, {Lane, {{6}}}};
  EXPECT_EQ(LinearLayout::fromBases(bases, DimList{{Dim0, 3}}).getNumConsecutiveInOut(), 2);
}

TEST(LinearLayout, EqualityAndHash) {
  LinearLayout layout = swappedColumns(), other = swappedColumns();
  EXPECT_EQ(layout, other);
  EXPECT_EQ(layout.hash(), other.hash());
  other.setBasis(Lane, 1, Coords{{Dim0, 2}, {Dim1, 1}});
  EXPECT_NE(layout, other);
  EXPECT_NE(layout.hash(), other.hash());
  EXPECT_NE(layout, layout.transposeOuts({Dim1, Dim0}));
}

TEST(LinearLayout, Text) {
  EXPECT_EQ(swappedColumns().toString(), "register (2): 1 -> (0, 1)\n"
                                         "lane (4): 1 -> (1, 1), 2 -> (2, 0)\n"
                                         "onto (dim0 4, dim1 2)\n");
}
