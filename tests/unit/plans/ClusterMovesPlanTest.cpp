#include "plans/ClusterMovesPlan.h"

#include "layout/Factories.h"
#include "gtest/gtest.h"
#include <map>

namespace hocket {
namespace {

constexpr int kAccessBits = 128;

LinearLayout blocked(Sizes shape, const BasisRows &cluster, bool rowsFirst) {
  const int64_t size[] = {1, 4}, threads[] = {4, 8}, warps[] = {2, 2};
  const int64_t order[] = {rowsFirst ? 0 : 1, rowsFirst ? 1 : 0};
  return overCluster(shape, cluster, [&](Sizes part) { return blockedLayout(part, {size, threads, warps, order}); });
}

template <typename Function>
void forEachPosition(const LinearLayout &layout, Function function) {
  for (int64_t position = 0; position < layout.getTotalInDimSize(); ++position)
    function(layout.unflattenIn(uint64_t(position)), layout.applyFlat(uint64_t(position)));
}

int32_t offsetAt(const LinearLayout &offsets, const Coords &position) {
  Coords known;
  for (const DimIndex &index : position)
    if (offsets.hasInDim(index.dim))
      known.push_back(index);
  return offsets.apply(known)[Dim::Offset];
}

/// Executes the stores of every block, then checks that every lane finds its elements at the planned offsets.
void checkMoves(const LinearLayout &src, const LinearLayout &dst, unsigned blocks) {
  std::optional<ClusterMoves> moves = planClusterMoves(src, dst, 32, kAccessBits);
  ASSERT_TRUE(moves);
  std::map<std::pair<unsigned, int32_t>, uint64_t> memory;           // (block, offset) -> element
  unsigned copies = blocks / unsigned(src.getInDimSize(Dim::Block)); // number of blocks with the same part
  forEachPosition(src, [&](const Coords &position, uint64_t element) {
    for (unsigned copy = 0; copy < copies; ++copy) {
      int32_t offset = offsetAt(moves->storeOffset, position);
      ASSERT_LT(offset, 1 << moves->partBits);
      auto [found, isNew] = memory.try_emplace({unsigned(position[Dim::Block]) + copy, offset}, element);
      EXPECT_EQ(found->second, element) << "two elements at one offset";
    }
  });
  forEachPosition(dst, [&](const Coords &position, uint64_t element) {
    int32_t offset = offsetAt(moves->loadOffset, position);
    auto found = memory.find({unsigned(offset) >> moves->partBits, offset & ((1 << moves->partBits) - 1)});
    ASSERT_NE(found, memory.end());
    EXPECT_EQ(found->second, element);
  });
}

constexpr int64_t kShape[] = {32, 64};
const BasisRows kRows = {{1, 0}, {2, 0}}, kColumns = {{0, 1}, {0, 2}}, kBoth = {{1, 0}, {0, 1}},
                kHalf = {{0, 0}, {1, 0}}, kCopies = {{0, 0}, {0, 0}};

TEST(ClusterMovesPlanTest, EveryElementArrives) {
  for (const BasisRows *from : {&kRows, &kColumns, &kBoth, &kHalf, &kCopies})
    for (const BasisRows *to : {&kRows, &kColumns, &kBoth, &kHalf, &kCopies})
      checkMoves(blocked(kShape, *from, false), blocked(kShape, *to, true), 4);
}

TEST(ClusterMovesPlanTest, SmallTilesAreCopied) {
  const int64_t shape[] = {2, 8};
  checkMoves(blocked(shape, kRows, false), blocked(shape, kColumns, true), 4);
}

TEST(ClusterMovesPlanTest, BlocksReadTheirOwnCopies) {
  std::optional<ClusterMoves> moves =
      planClusterMoves(blocked(kShape, kCopies, false), blocked(kShape, kRows, false), 32, kAccessBits);
  ASSERT_TRUE(moves);
  for (unsigned bit : {0u, 1u}) {
    int32_t offset = moves->loadOffset.getBasis(Dim::Block, bit, Dim::Offset);
    EXPECT_EQ(offset >> moves->partBits, 1 << bit);
  }
}

TEST(ClusterMovesPlanTest, PartsOfABlock) {
  std::optional<LinearLayout> part = withinBlock(blocked(kShape, kBoth, false));
  ASSERT_TRUE(part);
  EXPECT_EQ(part->getOutDimSize(Dim::Dim0), 16);
  EXPECT_EQ(part->getOutDimSize(Dim::Dim1), 32);
  EXPECT_TRUE(haveEqualParts(blocked(kShape, kBoth, false), blocked(kShape, kBoth, true)));
  EXPECT_FALSE(haveEqualParts(blocked(kShape, kBoth, false), blocked(kShape, kRows, true)));
  // The part of a block that holds every other row is not a box.
  LinearLayout interleaved =
      LinearLayout::identity1D(2, Dim::Block, Dim::Dim0) * LinearLayout::identity1D(8, Dim::Register, Dim::Dim0);
  EXPECT_FALSE(withinBlock(interleaved));
}

} // namespace
} // namespace hocket
