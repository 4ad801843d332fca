//===- LinearLayoutAlgebraTest.cpp - Product, composition, inverses and quotient --===//
//
// Examples as tables, then the laws on random layouts.
//
//===------------------------------------------------------------------------------===//
#include "layout/LinearLayout.h"

#include "DrawTable.h"

#include <gtest/gtest.h>

using namespace hocket;
using enum Dim;
using DimList = LinearLayout::DimList;

TEST(Product, TileOfTiles) {
  LinearLayout registers = LinearLayout::identity1D(2, Register, Dim1);
  LinearLayout lanes = LinearLayout::identity1D(2, Lane, Dim0) * LinearLayout::identity1D(2, Lane, Dim1);
  EXPECT_EQ(drawTable((registers * lanes).transposeOuts({Dim0, Dim1})), R"(
0:0 0:1 2:0 2:1
1:0 1:1 3:0 3:1
)");
  // In the reverse order the registers are the outer tiling.
  EXPECT_EQ(drawTable(lanes * registers), R"(
0:0 2:0 0:1 2:1
1:0 3:0 1:1 3:1
)");
}

TEST(Product, Laws) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    LinearLayout a = randomLayout(random, DimList{{Register, 2}, {Lane, 1}}, DimList{{Dim0, 2}, {Dim1, 1}});
    LinearLayout b = randomLayout(random, DimList{{Lane, 2}, {Warp, 1}}, DimList{{Dim1, 2}});
    LinearLayout c = randomLayout(random, DimList{{Register, 1}}, DimList{{Dim0, 1}, {Dim2, 1}});
    EXPECT_EQ((a * b) * c, a * (b * c));
    EXPECT_EQ(a * LinearLayout::empty(), a);
    EXPECT_EQ(LinearLayout::empty() * a, a);
    EXPECT_EQ((a * b).getRank(), a.getRank() + b.getRank());
  }
}

TEST(Compose, AppliesOneAfterTheOther) {
  std::mt19937 random(6);
  for (int round = 0; round < 50; ++round) {
    LinearLayout a = randomLayout(random, DimList{{Register, 2}, {Lane, 3}}, DimList{{Dim0, 2}, {Dim1, 3}});
    // The inputs of `b` are larger than the outputs of `a`, and in another order.
    LinearLayout b = randomLayout(random, DimList{{Dim1, 4}, {Dim0, 2}}, DimList{{Offset, 6}});
    LinearLayout both = a.compose(b);
    for (uint64_t i = 0; i < 32; ++i)
      EXPECT_EQ(both.unflattenOut(both.applyFlat(i)), b.apply(a.unflattenOut(a.applyFlat(i))));
  }
}

TEST(Invert, RoundTrips) {
  std::mt19937 random(7);
  DimList ins{{Offset, 5}, {Block, 1}}, outs{{Dim0, 2}, {Dim1, 4}};
  for (int round = 0; round < 50; ++round) {
    LinearLayout layout = randomSurjection(random, ins, outs);
    LinearLayout inverse = layout.invert();
    for (uint64_t i = 0; i < 64; ++i) {
      EXPECT_EQ(inverse.applyFlat(layout.applyFlat(i)), i);
      EXPECT_EQ(layout.applyFlat(inverse.applyFlat(i)), i);
    }
    EXPECT_EQ(inverse.invert(), layout);
  }
}

TEST(Pseudoinvert, NamesTheHolderWithoutFreeBits) {
  std::mt19937 random(8);
  for (int round = 0; round < 50; ++round) {
    LinearLayout layout = randomSurjection(random, DimList{{Register, 3}, {Lane, 4}}, DimList{{Dim0, 2}, {Dim1, 3}});
    LinearLayout inverse = layout.pseudoinvert();
    uint64_t free = layout.flattenIn(layout.getFreeVariableMasks());
    for (uint64_t i = 0; i < 32; ++i) {
      EXPECT_EQ(layout.applyFlat(inverse.applyFlat(i)), i);
      EXPECT_EQ(inverse.applyFlat(i) & free, 0u);
    }
  }
}

TEST(InvertAndCompose, FindsTheHolder) {
  std::mt19937 random(9);
  for (int round = 0; round < 100; ++round) {
    LinearLayout a = randomLayout(random, DimList{{Register, 2}, {Lane, 4}}, DimList{{Dim0, 2}, {Dim1, 3}});
    LinearLayout b = randomSurjection(random, DimList{{Register, 3}, {Lane, 4}}, DimList{{Dim1, 3}, {Dim0, 2}});
    LinearLayout move = a.invertAndCompose(b);
    for (uint64_t i = 0; i < 64; ++i) {
      Coords element = a.unflattenOut(a.applyFlat(i)), found = b.apply(move.unflattenOut(move.applyFlat(i)));
      EXPECT_EQ(element[Dim0], found[Dim0]);
      EXPECT_EQ(element[Dim1], found[Dim1]);
    }
  }
}

TEST(InvertAndCompose, EqualCopiesStayWhereTheyAre) {
  // Both layouts hold dim0 in registers and copy it to all lanes: each lane should use its own copy.
  LinearLayout layout = LinearLayout::identity1D(4, Register, Dim0) * LinearLayout::zeros1D(8, Lane, Dim0);
  LinearLayout move = layout.invertAndCompose(layout);
  for (uint64_t i = 0; i < 32; ++i)
    EXPECT_EQ(move.applyFlat(i), i);
  // If only `other` has copies, the first copy is used.
  LinearLayout spread = LinearLayout::identity1D(4, Lane, Dim0) * LinearLayout::zeros1D(2, Lane, Dim0);
  LinearLayout gather = LinearLayout::identity1D(4, Register, Dim0);
  EXPECT_EQ(gather.invertAndCompose(spread).apply({{Register, 3}}), (Coords{{Lane, 3}}));
}

TEST(InvertAndCompose, PartOfALargerTensor) {
  LinearLayout part = LinearLayout::identity1D(4, Register, Dim0);
  LinearLayout all = LinearLayout::identity1D(2, Lane, Dim0) * LinearLayout::identity1D(8, Register, Dim0);
  EXPECT_EQ(part.invertAndCompose(all).apply({{Register, 3}}), (Coords{{Lane, 1}, {Register, 1}}));
}

TEST(DivideLeft, UndoesTheProduct) {
  std::mt19937 random(10);
  for (int round = 0; round < 50; ++round) {
    LinearLayout inner = randomLayout(random, DimList{{Register, 2}, {Lane, 2}}, DimList{{Dim0, 1}, {Dim1, 2}});
    LinearLayout outer =
        randomLayout(random, DimList{{Register, 1}, {Lane, 2}, {Warp, 2}}, DimList{{Dim0, 2}, {Dim1, 2}});
    EXPECT_EQ((inner * outer).divideLeft(inner), outer);
  }
}

TEST(DivideLeft, FailsWhenTheTileDoesNotFit) {
  LinearLayout tile = LinearLayout::identity1D(4, Register, Dim0);
  EXPECT_EQ(LinearLayout::identity1D(2, Register, Dim0).divideLeft(tile), std::nullopt);
  EXPECT_EQ(LinearLayout::identity1D(8, Lane, Dim0).divideLeft(tile), std::nullopt);
  // A basis of the outer part touches the tile's bits.
  const std::pair<Dim, BasisRows> bases[] = {{Register, {{1}, {2}}}, {Lane, {{4 | 1}}}};
  EXPECT_EQ(LinearLayout::fromBases(bases, DimList{{Dim0, 3}}).divideLeft(tile), std::nullopt);
  // The whole layout leaves the quotient with dimensions of size 1.
  EXPECT_EQ(tile.divideLeft(tile), LinearLayout::identity1D(1, Register, Dim0));
}
