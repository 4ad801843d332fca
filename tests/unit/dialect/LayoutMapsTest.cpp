//===- LayoutMapsTest.cpp - Linear map of each layout attribute, as tables --------===//
//
// Entries are "warp.lane:register", or the offset in shared memory.
//
//===------------------------------------------------------------------------------===//
#include "../layout/DrawTable.h"
#include "DialectTest.h"
#include "dialect/hk/layouts/Layouts.h"

using namespace hocket;
using namespace hocket::hk;

namespace {

class LayoutMaps : public DialectTest {};

constexpr llvm::StringLiteral kBlocked = "#hk.blocked<size_per_thread = [1, 2], threads_per_warp = [2, 2], "
                                         "warps_per_cta = [2, 1], order = [1, 0]>";

TEST_F(LayoutMaps, Blocked) {
  EXPECT_EQ(drawTable(mapOf(kBlocked, {4, 8})), R"(
0.0:0 0.0:1 0.1:0 0.1:1 0.0:2 0.0:3 0.1:2 0.1:3
0.2:0 0.2:1 0.3:0 0.3:1 0.2:2 0.2:3 0.3:2 0.3:3
1.0:0 1.0:1 1.1:0 1.1:1 1.0:2 1.0:3 1.1:2 1.1:3
1.2:0 1.2:1 1.3:0 1.3:1 1.2:2 1.2:3 1.3:2 1.3:3
)");
}

TEST_F(LayoutMaps, SliceHoldsCopiesInTheLanesAlongTheRemovedDimension) {
  std::string rows = "#hk.slice<dim = 1, parent = " + kBlocked.str() + ">";
  EXPECT_EQ(drawTable(mapOf(rows, {4})), R"(
0.0:0|0.1:0 0.2:0|0.3:0 1.0:0|1.1:0 1.2:0|1.3:0
)");
  std::string columns = "#hk.slice<dim = 0, parent = " + kBlocked.str() + ">";
  EXPECT_EQ(drawTable(mapOf(columns, {4})), R"(
0.0:0|0.2:0|1.0:0|1.2:0 0.0:1|0.2:1|1.0:1|1.2:1 0.1:0|0.3:0|1.1:0|1.3:0 0.1:1|0.3:1|1.1:1|1.3:1
)");
}

constexpr llvm::StringLiteral kLinear =
    "#hk.linear<reg = [[0, 1]], lane = [[1, 1], [2, 0]], warp = [], block = [], shape = [4, 2]>";

TEST_F(LayoutMaps, LinearOfItsOwnShape) {
  EXPECT_EQ(drawTable(mapOf(kLinear, {4, 2})), R"(
0:0 0:1
1:1 1:0
2:0 2:1
3:1 3:0
)");
}

TEST_F(LayoutMaps, LinearWrapsALargerTensorLastDimensionFirst) {
  EXPECT_EQ(drawTable(mapOf(kLinear, {8, 4})), R"(
0:0 0:1 0:2 0:3
1:1 1:0 1:3 1:2
2:0 2:1 2:2 2:3
3:1 3:0 3:3 3:2
0:4 0:5 0:6 0:7
1:5 1:4 1:7 1:6
2:4 2:5 2:6 2:7
3:5 3:4 3:7 3:6
)");
}

TEST_F(LayoutMaps, LinearReplicatesASmallerTensorButNeverInRegisters) {
  // Without its second column the register has no bits left.
  EXPECT_EQ(drawTable(mapOf(kLinear, {4, 1})), R"(
0:0
1:0
2:0
3:0
)");
}

TEST_F(LayoutMaps, DotOperandsHoldWholePanels) {
  std::string blocked = "#hk.blocked<size_per_thread = [1, 1], threads_per_warp = [2, 2], warps_per_cta = [1, 1], "
                        "order = [1, 0]>";
  EXPECT_EQ(drawTable(mapOf("#hk.dot_operand<op_idx = 0, parent = " + blocked + ">", {2, 4})), R"(
0:0|1:0 0:1|1:1 0:2|1:2 0:3|1:3
2:0|3:0 2:1|3:1 2:2|3:2 2:3|3:3
)");
  EXPECT_EQ(drawTable(mapOf("#hk.dot_operand<op_idx = 1, parent = " + blocked + ">", {4, 2})), R"(
0:0|2:0 1:0|3:0
0:1|2:1 1:1|3:1
0:2|2:2 1:2|3:2
0:3|2:3 1:3|3:3
)");
}

TEST_F(LayoutMaps, SwizzledShared) {
  EXPECT_EQ(drawTable(mapOf("#hk.swizzled_shared<vec = 2, per_phase = 1, max_phase = 4, order = [1, 0]>", {4, 8})), R"(
 0  1  2  3  4  5  6  7
10 11  8  9 14 15 12 13
20 21 22 23 16 17 18 19
30 31 28 29 26 27 24 25
)");
}

TEST_F(LayoutMaps, PaddedSharedIsLinearAndKeepsItsPaddingsApart) {
  std::string padded = "#hk.padded_shared<intervals = [4, 2], paddings = [2, 1], "
                       "offset = [[1, 0], [0, 1], [0, 2]], block = [], shape = [2, 4]>";
  EXPECT_EQ(drawTable(mapOf(padded, {2, 4})), R"(
0 2 4 6
1 3 5 7
)");
  auto paddings = mlir::cast<SharedLayout>(layout(padded)).getPaddings();
  EXPECT_EQ(paddings, (llvm::SmallVector<std::pair<int64_t, int64_t>>{{4, 2}, {2, 1}}));
  auto plain = layout("#hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0, 1]>");
  EXPECT_TRUE(mlir::cast<SharedLayout>(plain).getPaddings().empty());
}

TEST_F(LayoutMaps, LayoutsAreEquivalentByTheirMap) {
  auto vector = layout("#hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>");
  // The layout is equivalent to a slice whose other dimension has no bits.
  auto slice = layout("#hk.slice<dim = 1, parent = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [32, 1], "
                      "warps_per_cta = [4, 1], order = [0, 1]>>");
  EXPECT_TRUE(areEquivalentLayouts({512}, vector, slice));
  EXPECT_TRUE(areEquivalentLayouts({64}, vector, slice));
  // If the tensor is one box, the size of the box does not appear in the map.
  auto wide = layout("#hk.blocked<size_per_thread = [8], threads_per_warp = [32], warps_per_cta = [4], order = [0]>");
  EXPECT_TRUE(areEquivalentLayouts({2}, vector, wide));
  EXPECT_FALSE(areEquivalentLayouts({512}, vector, wide));
  EXPECT_FALSE(areEquivalentLayouts({2, 2}, layout(kBlocked), layout(kLinear)));
}

TEST_F(LayoutMaps, PaddingIsPartOfEquivalence) {
  std::string bases = "offset = [[0, 1], [1, 0]], block = [], shape = [2, 2]>";
  auto plain = layout("#hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>");
  auto padded = layout("#hk.padded_shared<intervals = [2], paddings = [1], " + bases);
  auto same = layout("#hk.padded_shared<intervals = [2, 4], paddings = [1, 2], " + bases);
  auto swapped = layout("#hk.padded_shared<intervals = [4, 2], paddings = [2, 1], " + bases);
  EXPECT_FALSE(areEquivalentLayouts({2, 2}, plain, padded));
  EXPECT_FALSE(areEquivalentLayouts({2, 2}, padded, same));
  EXPECT_TRUE(areEquivalentLayouts({2, 2}, same, swapped));
}

TEST_F(LayoutMaps, LinearAttrOfAMapHasThatMap) {
  for (int64_t columns : {8, 2}) {
    int64_t shape[] = {4, columns};
    LinearLayout map = mapOf(kBlocked, shape);
    EXPECT_EQ(linearAttrOf(&context, map).toLinearLayout(shape), map);
  }
}

} // namespace
