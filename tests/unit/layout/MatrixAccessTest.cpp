//===- MatrixAccessTest.cpp - Plans for ldmatrix and stmatrix, executed ---------------===//
#include "layout/MatrixAccess.h"

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
  const DimBits outs[] = {{Offset, 14}};
  return LinearLayout::fromBases(bases, outs);
}

/// Executes the plan like ldmatrix: every lane must receive the elements of its layout.
static void expectRight(const LinearLayout &layout, int32_t bits, int32_t matrices, bool transposes = false) {
  std::optional<MatrixAccess> access = planMatrixAccess(layout, bits);
  ASSERT_TRUE(access) << layout.toString();
  EXPECT_EQ(access->matrices, matrices);
  EXPECT_EQ(access->transposes, transposes);
  int32_t perWord = 32 / bits, perRow = 128 / bits;
  std::vector<bool> moved(size_t(layout.getInDimSize(Register)), false);
  for (int32_t warp = 0; warp < layout.getInDimSize(Warp); ++warp)
    for (int32_t lane = 0; lane < 32; ++lane)
      for (int32_t number = 0; number < int32_t(access->words.size()); ++number)
        for (int32_t matrix = 0; matrix < matrices; ++matrix)
          for (int32_t element = 0; element < perWord; ++element) {
            int32_t row = transposes ? lane % 4 * 2 + element : lane / 4;
            int32_t column = transposes ? lane / 4 : lane % 4 * perWord + element;
            int32_t begin = access->rows.apply({{Register, number}, {Lane, 8 * matrix + row}, {Warp, warp}})[Offset];
            EXPECT_EQ(begin % perRow, 0);
            int32_t reg = access->words[size_t(number)][size_t(matrix)][size_t(element)];
            moved[size_t(reg)] = true;
            EXPECT_EQ(begin + column, (layout.apply({{Register, reg}, {Lane, lane}, {Warp, warp}})[Offset]))
                << "lane " << lane << " register " << reg;
          }
  for (int32_t reg = 0; reg < layout.getInDimSize(Register); ++reg) {
    int32_t same = access->representative[size_t(reg)];
    EXPECT_TRUE(moved[size_t(same)]);
    EXPECT_EQ((layout.apply({{Register, reg}})), (layout.apply({{Register, same}})));
  }
}

TEST(MatrixAccess, WordsInARow) {
  // Operand a of mma.m16n8k16, rows of 64 halves: k 2, rows 8 apart, k 8 apart; then more along k.
  expectRight(offsets({1, 512, 8, 16}, {2, 4, 64, 128, 256}, {1024, 0}), 16, 4);
  // Two matrices; bytes; words.
  expectRight(offsets({1, 8}, {2, 4, 64, 128, 256}), 16, 2);
  expectRight(offsets({1, 2, 512, 16}, {4, 8, 64, 128, 256}), 8, 4);
  expectRight(offsets({512, 4}, {1, 2, 32, 64, 128}), 32, 4);
  // The elements of a word need not be the lowest registers.
  expectRight(offsets({512, 1, 8}, {2, 4, 64, 128, 256}), 16, 4);
  // Swizzled: rows of 64 halves, with their 16-byte units permuted.
  expectRight(offsets({1, 512, 8, 16}, {2, 4, 64 ^ 8, 128 ^ 16, 256 ^ 32}, {1024}), 16, 4);
}

TEST(MatrixAccess, WordsInTwoRows) {
  // Operand b of mma.m16n8k16 with memory contiguous along n: k 64 apart.
  expectRight(offsets({64, 512, 8}, {128, 256, 1, 2, 4}), 16, 4, /*transposes=*/true);
  expectRight(offsets({64}, {128, 256, 1, 2, 4}), 16, 1, /*transposes=*/true);
  expectRight(offsets({64 ^ 8, 512, 16}, {128 ^ 16, 256 ^ 32, 1, 2, 4}, {1024}), 16, 4, /*transposes=*/true);
}

TEST(MatrixAccess, Copies) {
  expectRight(offsets({0, 1, 512, 0, 8}, {2, 4, 64, 128, 256}), 16, 4);
  // Copies of rows, in lanes and warps.
  expectRight(offsets({1, 512, 8}, {2, 4, 64, 128, 0}, {0}), 16, 4);
  // The copies differ from the originals in several bits of the register's number.
  EXPECT_FALSE(planMatrixAccess(offsets({1, 512, 8, 520}, {2, 4, 64, 128, 256}), 16));
}

TEST(MatrixAccess, WhatCannotBeMovedThatWay) {
  Ints lanes = {2, 4, 64, 128, 256};
  EXPECT_TRUE(planMatrixAccess(offsets({1, 8}, lanes), 16));
  // A word per lane; wide vectors per lane; other elements; a warp of 64.
  EXPECT_FALSE(planMatrixAccess(offsets({1}, lanes), 16));
  EXPECT_FALSE(planMatrixAccess(offsets({1, 2, 4, 512}, {8, 16, 64, 128, 256}), 16));
  EXPECT_FALSE(planMatrixAccess(offsets({1, 8}, lanes), 64));
  EXPECT_FALSE(planMatrixAccess(offsets({1, 8}, {2, 4, 64, 128, 256, 512}), 16));
  // Lanes in another order, a warp within the row, transposed bytes.
  EXPECT_FALSE(planMatrixAccess(offsets({1, 8}, {4, 2, 64, 128, 256}), 16));
  EXPECT_FALSE(planMatrixAccess(offsets({1, 8}, {2, 64, 128, 256, 512}, {4}), 16));
  EXPECT_FALSE(planMatrixAccess(offsets({64, 128, 512}, {1024, 2048, 1, 2, 4}), 8));
  // Padding and views that split a row.
  const Padding wide[] = {{512, 8}}, narrow[] = {{512, 4}};
  EXPECT_TRUE(planMatrixAccess(offsets({1, 8}, lanes), 16, wide));
  EXPECT_FALSE(planMatrixAccess(offsets({1, 8}, lanes), 16, narrow));
  EXPECT_FALSE(planMatrixAccess(offsets({1, 8}, lanes), 16, wide, /*startBits=*/4));
}
