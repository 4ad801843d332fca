//===- VectorAccessTest.cpp - Grouping of registers into vector accesses ----------===//
#include "layout/VectorAccess.h"

#include "DrawTable.h"

#include <gtest/gtest.h>
#include <set>

using namespace hocket;
using enum Dim;
using DimList = LinearLayout::DimList;
using Groups = std::vector<std::vector<int32_t>>;

static LinearLayout toOffset(BasisRows reg, BasisRows lane, unsigned bits) {
  const std::pair<Dim, BasisRows> bases[] = {{Register, reg}, {Lane, lane}};
  return LinearLayout::fromBases(bases, DimList{{Offset, uint8_t(bits)}});
}

TEST(VectorAccess, ExampleOfTheHeader) {
  // Register bit 2 is the lowest offset bit.
  LinearLayout layout = toOffset({{2}, {8}, {1}}, {{4}}, 4);
  VectorAccess plan = planVectorAccess(layout, 2);
  EXPECT_EQ(plan.width, 2);
  EXPECT_EQ(plan.groups, (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(planVectorAccess(layout, 8).groups, (Groups{{0, 4, 1, 5}, {2, 6, 3, 7}}));
}

TEST(VectorAccess, LanesBelowTheVectorForbidIt) {
  EXPECT_EQ(planVectorAccess(toOffset({{2}, {4}}, {{1}}, 3), 4).width, 1);
  // A swizzle that moves lanes by a whole vector keeps the width.
  EXPECT_EQ(planVectorAccess(toOffset({{1}, {2}}, {{4}}, 3), 4).width, 4);
  EXPECT_EQ(planVectorAccess(toOffset({{1}, {2}}, {{2}}, 3), 4).width, 2);
}

TEST(VectorAccess, XorsOfRegistersCount) {
  // Neither register holds offset 1 alone; from register 0, register 3 does.
  EXPECT_EQ(planVectorAccess(toOffset({{3}, {2}}, {}, 2), 2).groups, (Groups{{0, 3}, {2, 1}}));
}

TEST(VectorAccess, CopiesAreAccessedOnce) {
  VectorAccess plan = planVectorAccess(toOffset({{0}, {1}}, {{2}}, 2), 4);
  EXPECT_EQ(plan.groups, (Groups{{0, 2}}));
  EXPECT_EQ(plan.representative, (std::vector<int32_t>{0, 0, 2, 2}));
}

TEST(VectorAccess, EveryElementOnceInOrder) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    LinearLayout layout = randomLayout(random, DimList{{Register, 4}, {Lane, 2}}, DimList{{Offset, 6}});
    VectorAccess plan = planVectorAccess(layout, 8);
    std::set<int32_t> moved, all;
    for (const std::vector<int32_t> &group : plan.groups)
      for (int32_t i = 0; i < plan.width; ++i) {
        int32_t start = layout.apply({{Register, group[0]}})[Offset];
        EXPECT_EQ(start % plan.width, 0);
        EXPECT_EQ(layout.apply({{Register, group[i]}})[Offset], start + i);
        EXPECT_TRUE(moved.insert(start + i).second);
      }
    for (int32_t reg = 0; reg < 16; ++reg) {
      all.insert(layout.apply({{Register, reg}})[Offset]);
      EXPECT_EQ(layout.apply({{Register, plan.representative[reg]}}), layout.apply({{Register, reg}}));
    }
    EXPECT_EQ(moved, all);
  }
}
