//===- TransposedReadTest.cpp - Plans for transposing LDS loads, executed -------------===//
#include "layout/TransposedRead.h"

#include <gtest/gtest.h>

using namespace hocket;
using enum Dim;
using Ints = std::vector<int32_t>;

/// Returns the map with these offsets for the bits of register, lane and warp.
static LinearLayout offsets(const Ints &registers, const Ints &lanes, const Ints &warps = {}) {
  auto rows = [](const Ints &values) {
    BasisRows result;
    for (int32_t value : values)
      result.push_back({value});
    return result;
  };
  const std::pair<Dim, BasisRows> bases[] = {{Register, rows(registers)}, {Lane, rows(lanes)}, {Warp, rows(warps)}};
  const DimBits outs[] = {{Offset, 12}};
  return LinearLayout::fromBases(bases, outs);
}

/// Executes the plan like the hardware: every lane must receive the elements of its layout.
static void expectRight(const LinearLayout &layout, int32_t bits) {
  std::optional<TransposedRead> read = planTransposedRead(layout, bits);
  ASSERT_TRUE(read) << layout.toString();
  int32_t elements = 64 / bits;
  ASSERT_EQ(read->groups.size() * elements, size_t(layout.getInDimSize(Register)));
  for (int32_t warp = 0; warp < layout.getInDimSize(Warp); ++warp)
    for (int32_t lane = 0; lane < layout.getInDimSize(Lane); ++lane)
      for (int32_t number = 0; number < int32_t(read->groups.size()); ++number)
        for (int32_t j = 0; j < elements; ++j) {
          int32_t group = lane & ~15, i = lane & 15;
          int32_t reader = group + j * 16 / elements + i / elements;
          int32_t begin = read->source.apply({{Register, number}, {Lane, reader}, {Warp, warp}})[Offset];
          EXPECT_EQ(begin % elements, 0);
          int32_t reg = read->groups[number][j];
          EXPECT_EQ(begin + i % elements, (layout.apply({{Register, reg}, {Lane, lane}, {Warp, warp}})[Offset]))
              << "lane " << lane << " register " << reg;
        }
}

TEST(TransposedRead, OperandsInRowsOfTheOtherDimension) {
  // 16 columns of a matrix instruction; rows of 64 elements: k is offset bit 6 and up. 8 elements along k per lane.
  expectRight(offsets({64, 128, 256}, {1, 2, 4, 8, 512, 1024}, {16, 32}), 16);
  expectRight(offsets({64, 128, 256}, {1, 2, 4, 8, 512, 1024}, {16, 32}), 8);
  // 32 columns; more registers along the columns.
  expectRight(offsets({64, 128, 256, 32}, {1, 2, 4, 8, 16, 512}), 16);
  // Copies among lanes and warps.
  expectRight(offsets({64, 128}, {1, 2, 4, 0, 256, 0}, {0}), 16);
  // Swizzled rows.
  expectRight(offsets({64 ^ 8, 128 ^ 16, 256}, {1, 2, 4, 8, 512 ^ 32, 1024}), 16);
}

TEST(TransposedRead, WhatCannotBeReadThatWay) {
  Ints lanes = {1, 2, 4, 8, 512, 1024};
  EXPECT_TRUE(planTransposedRead(offsets({64, 128}, lanes), 16));
  EXPECT_FALSE(planTransposedRead(offsets({64, 128}, lanes), 32));
  // Too few registers: one row; for bytes, four of eight rows.
  EXPECT_FALSE(planTransposedRead(offsets({64}, lanes), 16));
  EXPECT_FALSE(planTransposedRead(offsets({64, 128}, lanes), 8));
  // Registers are contiguous, lanes are not; lanes in another order; a warp within the 8 bytes; a copy.
  EXPECT_FALSE(planTransposedRead(offsets({1, 2}, {4, 8, 16, 32, 64, 128}), 16));
  EXPECT_FALSE(planTransposedRead(offsets({64, 128}, {2, 1, 4, 8, 512, 1024}), 16));
  EXPECT_FALSE(planTransposedRead(offsets({64, 128}, {1, 4, 8, 16, 512, 1024}, {2}), 16));
  EXPECT_FALSE(planTransposedRead(offsets({64, 64}, lanes), 16));
  // Padding and views that split the 8 bytes.
  const Padding wide[] = {{512, 16}}, narrow[] = {{512, 2}};
  EXPECT_TRUE(planTransposedRead(offsets({64, 128}, lanes), 16, wide));
  EXPECT_FALSE(planTransposedRead(offsets({64, 128}, lanes), 16, narrow));
  EXPECT_FALSE(planTransposedRead(offsets({64, 128}, lanes), 16, wide, /*startBits=*/2));
}
