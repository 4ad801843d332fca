//===- LinearLayoutReshapeTest.cpp - Selection, order and size of dimensions ------===//
#include "layout/LinearLayout.h"

#include "DrawTable.h"

#include <gtest/gtest.h>

using namespace hocket;
using enum Dim;
using DimList = LinearLayout::DimList;

/// 2 lanes x 4 registers on a 2 x 4 tile.
static LinearLayout rows() {
  return (LinearLayout::identity1D(4, Register, Dim1) * LinearLayout::identity1D(2, Lane, Dim0))
      .transposeOuts({Dim0, Dim1});
}

TEST(Transpose, KeepsTheMap) {
  LinearLayout layout = rows(), moved = layout.transposeOuts({Dim1, Dim0}).transposeIns({Lane, Register});
  EXPECT_EQ(drawTable(moved), drawTable(layout));
  EXPECT_EQ(moved.getInDims()[0].dim, Lane);
  EXPECT_EQ(moved.transposeIns({Register, Lane}).transposeOuts({Dim0, Dim1}), layout);
}

TEST(Reshape, RowMajorTensorsListTheLastDimensionFirst) {
  LinearLayout flat = rows().transposeOuts({Dim1, Dim0}).flattenOuts(Dim0);
  EXPECT_EQ(drawTable(flat), R"(
0:0 0:1 0:2 0:3 1:0 1:1 1:2 1:3
)");
  LinearLayout tall = flat.reshapeOuts(DimList{{Dim1, 1}, {Dim0, 2}}).transposeOuts({Dim0, Dim1});
  EXPECT_EQ(drawTable(tall), R"(
0:0 0:1
0:2 0:3
1:0 1:1
1:2 1:3
)");
}

TEST(Reshape, InputsToo) {
  LinearLayout flat = rows().flattenIns(Offset);
  EXPECT_EQ(drawTable(flat), R"(
0 1 2 3
4 5 6 7
)");
  EXPECT_EQ(flat.reshapeIns(DimList{{Register, 2}, {Lane, 1}}), rows());
}

TEST(Sublayout, RestrictsAndProjects) {
  LinearLayout columns = rows().sublayout({Register, Lane}, {Dim1});
  EXPECT_EQ(columns.getOutDims().size(), 1u);
  EXPECT_EQ(columns.getBasisRows(Lane), (BasisRows{{0}}));
  EXPECT_EQ(columns.getBasisRows(Register), (BasisRows{{1}, {2}}));
  EXPECT_EQ(rows().sublayout({Lane}, {Dim0}), LinearLayout::identity1D(2, Lane, Dim0));
}

TEST(RemoveZeroBases, DropsCopies) {
  LinearLayout layout = LinearLayout::zeros1D(2, Register, Dim0) * LinearLayout::identity1D(4, Register, Dim0) *
                        LinearLayout::zeros1D(2, Lane, Dim0);
  EXPECT_EQ(layout.removeZeroBases(Register),
            LinearLayout::identity1D(4, Register, Dim0) * LinearLayout::zeros1D(2, Lane, Dim0));
}

TEST(EnsureNotLargerThan, Broadcasts) {
  EXPECT_EQ(drawTable(rows().ensureNotLargerThan(DimList{{Dim1, 1}})), R"(
0:0|0:2 0:1|0:3
1:0|1:2 1:1|1:3
)");
  EXPECT_EQ(rows().ensureNotLargerThan(DimList{{Dim0, 5}, {Dim1, 5}}), rows());
}

TEST(EnsureNotSmallerThan, Wraps) {
  EXPECT_EQ(drawTable(rows().ensureNotSmallerThan(DimList{{Dim0, 2}, {Dim1, 2}})), R"(
0:0 0:1 0:2 0:3
1:0 1:1 1:2 1:3
0:4 0:5 0:6 0:7
1:4 1:5 1:6 1:7
)");
}
