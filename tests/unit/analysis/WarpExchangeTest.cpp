//===- WarpExchangeTest.cpp - Warps that exchange elements of a tile ------------------------===//
#include "analysis/warp_pipeline/WarpExchange.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/AsmParser/AsmParser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

namespace {
struct WarpExchange : ::testing::Test {
  WarpExchange() { context.loadDialect<hk::HkDialect>(); }

  RankedTensorType layout(const std::string &lanes, const std::string &warps, const std::string &registers = "[]") {
    std::string text = "tensor<16xf32, #hk.linear<reg = " + registers + ", lane = " + lanes + ", warp = " + warps +
                       ", block = [], shape = [16]>>";
    return cast<RankedTensorType>(parseType(text, &context));
  }
  MLIRContext context;
};
} // namespace

TEST_F(WarpExchange, FourWarps) {
  RankedTensorType rows = layout("[[1], [2]]", "[[4], [8]]"), mixed = layout("[[2], [3]]", "[[4], [8]]");
  RankedTensorType turned = layout("[[4], [8]]", "[[1], [2]]"), exchanged = layout("[[1], [2]]", "[[8], [4]]");
  RankedTensorType copied = layout("[[1], [2], [8]]", "[[4], [0]]");
  EXPECT_EQ(findExchange(rows, rows), Exchange::WithinWarp);
  EXPECT_EQ(findExchange(rows, mixed), Exchange::WithinWarp);
  EXPECT_EQ(findExchange(rows, turned), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(rows, exchanged), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(copied, copied), Exchange::WithinGroup); // two warps hold the same elements
}

/// The rows of the table in WarpExchange.h.
TEST_F(WarpExchange, EightWarps) {
  RankedTensorType rows = layout("[[1]]", "[[2], [4], [8]]"), registers = layout("[]", "[[2], [4], [8]]", "[[1]]");
  RankedTensorType halves = layout("[[4]]", "[[1], [2], [8]]"), all = layout("[[8]]", "[[1], [2], [4]]");
  EXPECT_EQ(findExchange(rows, registers), Exchange::WithinWarp);
  EXPECT_EQ(findExchange(rows, halves), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(halves, rows), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(rows, all), Exchange::BetweenGroups);
  EXPECT_EQ(findExchange(halves, all), Exchange::BetweenGroups);
}

/// In turn: the groups exchange halves, both groups hold the same elements, two warps of each group hold the same
/// elements.
TEST_F(WarpExchange, GroupsThatMeet) {
  RankedTensorType rows = layout("[[1]]", "[[2], [4], [8]]"), turned = layout("[[1]]", "[[8], [4], [2]]");
  RankedTensorType twice = layout("[[1], [8]]", "[[2], [4], [0]]"), pairs = layout("[[1], [4]]", "[[0], [2], [8]]");
  EXPECT_EQ(findExchange(rows, turned), Exchange::BetweenGroups);
  EXPECT_EQ(findExchange(twice, twice), Exchange::BetweenGroups);
  EXPECT_EQ(findExchange(pairs, pairs), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(rows, pairs), Exchange::WithinGroup);
}

/// Groups 0 and 1, and groups 2 and 3, exchange elements; then groups 1 and 2. Lags of groups that do not exist do not
/// matter.
TEST_F(WarpExchange, LagsOfFourGroups) {
  RankedTensorType rows = layout("[]", "[[1], [2], [4], [8]]"), pairs = layout("[]", "[[4], [2], [1], [8]]");
  RankedTensorType inner = layout("[]", "[[1], [2], [8], [4]]"), halves = layout("[]", "[[2], [1], [4], [8]]");
  const unsigned lags[] = {0, 1, 3, 7};
  ArrayRef<unsigned> all = lags;
  EXPECT_EQ(findExchange(rows, pairs), Exchange::BetweenGroups);
  EXPECT_EQ(findExchange(rows, pairs).lagIn(all), 4u);
  EXPECT_EQ(findExchange(rows, pairs).lagIn(all.take_front(3)), 1u);
  EXPECT_EQ(findExchange(rows, inner).lagIn(all), 2u);
  EXPECT_EQ(findExchange(rows, halves).lagIn(all), 0u);
  EXPECT_EQ(Exchange(Exchange::BetweenGroups).lagIn(all), 7u);
  EXPECT_EQ(findExchange(rows, pairs).lagIn({0, 0, 1, 1}), 0u);
}

/// The bases of the warps are the same, but their offsets differ.
TEST_F(WarpExchange, SkewedTiles) {
  RankedTensorType rows = layout("[[1]]", "[[2], [4], [8]]"), skewed = layout("[[3]]", "[[2], [4], [8]]");
  RankedTensorType registers = layout("[]", "[[2], [4], [8]]", "[[1]]"),
                   both = layout("[]", "[[2], [4], [8]]", "[[3]]");
  EXPECT_EQ(findExchange(rows, skewed), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(skewed, rows), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(registers, both), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(skewed, skewed), Exchange::WithinWarp);
}

TEST_F(WarpExchange, NothingKnown) {
  RankedTensorType rows = layout("[[1]]", "[[2], [4], [8]]");
  auto bare = RankedTensorType::get({16}, rows.getElementType());
  EXPECT_EQ(findExchange(rows, bare), Exchange::BetweenGroups);
}

/// Warps 0 to 3 hold rows 0 and 1 of a tile of 4 x 8, two columns each. An access along a row needs no other group.
TEST_F(WarpExchange, AccessesThatSelectElements) {
  auto parse = [&](const std::string &layout) { return cast<RankedTensorType>(parseType(layout, &context)); };
  RankedTensorType tile = parse("tensor<4x8xf32, #hk.linear<reg = [[1, 0]], lane = [[0, 1]], warp = [[0, 2], [0, 4], "
                                "[2, 0]], block = [], shape = [4, 8]>>");
  RankedTensorType rows = withWholeAxis(tile, 1, 8), columns = withWholeAxis(tile, 0, 4);
  EXPECT_EQ(rows.getShape(), tile.getShape());
  EXPECT_EQ(findExchange(tile, tile), Exchange::WithinWarp);
  EXPECT_EQ(findExchange(tile, rows), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(tile, columns), Exchange::BetweenGroups);
  // Indices in a tile of 4 x 2 select elements of rows of 8 elements.
  RankedTensorType indices =
      parse("tensor<4x2xi32, #hk.linear<reg = [[1, 0]], lane = [[0, 1]], warp = [[0, 0], [0, 0], "
            "[2, 0]], block = [], shape = [4, 2]>>");
  EXPECT_EQ(withWholeAxis(indices, 1, 8).getShape(), tile.getShape());
  EXPECT_EQ(findExchange(tile, withWholeAxis(indices, 1, 8)), Exchange::WithinGroup);
}
