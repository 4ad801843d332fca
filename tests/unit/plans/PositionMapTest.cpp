//===- PositionMapTest.cpp - Source positions of layout conversions --------------------===//
#include "SimulatedBlock.h"

#include "layout/Factories.h"
#include "plans/PositionMap.h"
#include <gtest/gtest.h>

namespace hocket {

namespace {

/// Returns the operand's position of a result's position: the XOR over its bits.
Position sourceOf(const PositionMap &map, Position position) {
  Position source = map.ofRegister(position.reg);
  for (unsigned bit = 0; bit < map.lane.size(); ++bit)
    if (position.lane >> bit & 1)
      source ^= map.lane[bit];
  for (unsigned bit = 0; bit < map.warp.size(); ++bit)
    if (position.warp >> bit & 1)
      source ^= map.warp[bit];
  return source;
}

/// Compares the element at every position of the result with the element at its source.
void expectElementsAgree(const LinearLayout &src, const LinearLayout &dst) {
  PositionMap map = computePositionMap(src, dst);
  Registers<int64_t> from = elementsOf(src), to = elementsOf(dst);
  for (unsigned warp = 0; warp < to.size(); ++warp)
    for (unsigned lane = 0; lane < to[warp].size(); ++lane)
      for (unsigned reg = 0; reg < to[warp][lane].size(); ++reg) {
        Position source = sourceOf(map, {reg, lane, warp});
        ASSERT_EQ(to[warp][lane][reg], from[source.warp][source.lane][source.reg])
            << "register " << reg << ", lane " << lane << ", warp " << warp << "\nfrom\n"
            << src.toString() << "to\n"
            << dst.toString();
      }
}

} // namespace

//   operand     lane 0  1  2  3        result      lane 0  1  2  3
//   register 0       0  1  2  3        register 0       0  2  4  6
//   register 1       4  5  6  7        register 1       1  3  5  7
TEST(PositionMap, BitsOfTheIndexChangePositions) {
  std::vector<int64_t> shape = {8};
  PositionMap map = computePositionMap(distributedFromBases({{4}}, {{1}, {2}}, {}, {}, shape),
                                       distributedFromBases({{1}}, {{2}, {4}}, {}, {}, shape));
  EXPECT_EQ(map.reg, (std::vector<Position>{{.lane = 1}}));
  EXPECT_EQ(map.lane, (std::vector<Position>{{.lane = 2}, {.reg = 1}}));
  EXPECT_TRUE(map.laneCopies.empty());
  // Element 5 is in register 1 of lane 2, and was in register 1 of lane 1.
  EXPECT_EQ(sourceOf(map, {.reg = 1, .lane = 2}), (Position{.reg = 1, .lane = 1}));
}

// Lanes 0 and 1 of the operand hold copies: the result takes each copy from its own lane.
TEST(PositionMap, TheCopyInTheSameLaneIsTaken) {
  std::vector<int64_t> shape = {4};
  LinearLayout copies = distributedFromBases({{2}}, {{0}, {1}}, {}, {}, shape);
  PositionMap map = computePositionMap(copies, copies);
  EXPECT_EQ(map.lane, (std::vector<Position>{{.lane = 1}, {.lane = 2}}));
  EXPECT_EQ(map.laneCopies, (std::vector<Position>{{.lane = 1}}));
}

// Warps 0 and 1 hold copies: warp 1 does not need elements of warp 0.
TEST(PositionMap, TheCopyInTheSameWarpIsTaken) {
  std::vector<int64_t> shape = {4};
  LinearLayout copies = distributedFromBases({{2}}, {{1}}, {{0}}, {}, shape);
  EXPECT_EQ(computePositionMap(copies, copies).warp, (std::vector<Position>{{.warp = 1}}));
}

TEST(PositionMap, RegistersThatAreCopiesNameTheirOriginal) {
  std::vector<int64_t> shape = {8};
  LinearLayout src = distributedFromBases({{4}}, {{1}, {2}}, {}, {}, shape);
  // Register 2 repeats register 0, register 4 repeats register 1.
  LinearLayout dst = distributedFromBases({{4}, {0}, {4}}, {{1}, {2}}, {}, {}, shape);
  EXPECT_EQ(computePositionMap(src, dst).original, (std::vector<unsigned>{1, 0, 1}));
}

TEST(PositionMap, AgreesWithTheElementsOfRandomLayouts) {
  std::mt19937 random(5);
  const DimBits tile[] = {{Dim::Dim0, 3}, {Dim::Dim1, 4}};
  for (int i = 0; i < 200; ++i) {
    BlockBits from{2 + unsigned(random() % 3), 4, 1 + unsigned(random() % 2)},
        to{2 + unsigned(random() % 3), 4, from.warp};
    bool isPlain = random() % 2;
    expectElementsAgree(isPlain ? drawPlainLayout(random, from, tile) : drawLayout(random, from, tile),
                        isPlain ? drawPlainLayout(random, to, tile) : drawLayout(random, to, tile));
    if (HasFatalFailure())
      return;
  }
}

/// Converting a random layout to itself moves no data, even if elements have copies.
TEST(PositionMap, NothingMovesBetweenEqualLayouts) {
  std::mt19937 random(6);
  const DimBits tile[] = {{Dim::Dim0, 3}, {Dim::Dim1, 3}};
  for (int i = 0; i < 100; ++i) {
    LinearLayout layout = drawLayout(random, {2, 4, 2}, tile);
    PositionMap map = computePositionMap(layout, layout);
    for (unsigned bit = 0; bit < map.lane.size(); ++bit)
      EXPECT_EQ(map.lane[bit], (Position{.lane = 1u << bit})) << layout.toString();
    for (unsigned bit = 0; bit < map.warp.size(); ++bit)
      EXPECT_EQ(map.warp[bit], (Position{.warp = 1u << bit})) << layout.toString();
  }
}

} // namespace hocket
