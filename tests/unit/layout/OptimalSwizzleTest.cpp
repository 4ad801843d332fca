//===- OptimalSwizzleTest.cpp - Wavefronts of shared layouts without bank conflicts ------------------===//
#include "layout/OptimalSwizzle.h"

#include "DrawTable.h"
#include "layout/BankConflicts.h"
#include "layout/Factories.h"

#include <gtest/gtest.h>

using namespace hocket;
using enum Dim;
using Ints = std::vector<int64_t>;
using DimList = LinearLayout::DimList;

static LinearLayout blocked(Ints shape, Ints size, Ints threads, Ints warps, Ints order) {
  return blockedLayout(shape, {size, threads, warps, order});
}

/// Checks that both sides reach the ideal number of wavefronts with the swizzle found for them.
static SharedLinear expectNoConflicts(const LinearLayout &src, const LinearLayout &dst, int32_t bits,
                                      const SharedBanks &banks = SharedBanks::consecutive(32)) {
  SharedLinear shared = optimalSwizzle(src, dst, bits, banks);
  EXPECT_TRUE(shared.layout.isInvertible());
  for (auto &[side, width, access] :
       {std::tuple(src, shared.srcWidth, SharedAccess::Store), std::tuple(dst, shared.dstWidth, SharedAccess::Load)}) {
    // Count with the vectors of the swizzle; one side alone might be able to use wider ones.
    SharedBanks promised = banks;
    promised.maxAccessBits = width * bits;
    SharedTileAccess tile{.toOffset = side.invertAndCompose(shared.layout), .elementBits = bits};
    Wavefronts wavefronts = sumOf(countWavefronts(tile, access, promised));
    EXPECT_EQ(wavefronts.actual, wavefronts.ideal) << side.toString() << shared.layout.toString();
  }
  return shared;
}

/// Banks of gfx950 as in target/SharedPhases.cpp: loads use 64 banks, stores 32, and lanes of 16-byte loads are
/// scattered.
static SharedBanks loadsOf64BanksStoresOf32() {
  SharedBanks banks = SharedBanks::consecutive(64);
  banks.phases[size_t(SharedAccess::Store)] = SharedBanks::consecutive(32).phases[size_t(SharedAccess::Store)];
  banks.phases[size_t(SharedAccess::Load)][4] = {64, {1, 2, 12, 20}};
  return banks;
}

TEST(OptimalSwizzle, DrawnTranspose) {
  // Four lanes, four banks, a 4 x 4 tile of words: the example in the header.
  LinearLayout rows = blocked({4, 4}, {1, 1}, {1, 4}, {1, 1}, {1, 0});
  LinearLayout columns = blocked({4, 4}, {1, 1}, {4, 1}, {1, 1}, {0, 1});
  SharedLinear shared = expectNoConflicts(rows, columns, 32, SharedBanks::consecutive(4, 32));
  LinearLayout inverse = shared.layout.invert();
  std::string banks = "\n";
  for (int32_t row = 0; row < 4; ++row)
    for (int32_t column = 0; column < 4; ++column)
      banks += std::to_string(inverse.apply({{Dim0, row}, {Dim1, column}})[Offset] % 4) + (column < 3 ? " " : "\n");
  EXPECT_EQ(banks, R"(
0 1 2 3
1 0 3 2
2 3 0 1
3 2 1 0
)");
}

TEST(OptimalSwizzle, TransposeOfLargeTiles) {
  for (int32_t bits : {8, 16, 32, 64}) {
    expectNoConflicts(blocked({128, 128}, {1, 4}, {4, 8}, {4, 1}, {1, 0}),
                      blocked({128, 128}, {4, 1}, {8, 4}, {1, 4}, {0, 1}), bits);
    expectNoConflicts(blocked({64, 128}, {1, 1}, {1, 32}, {4, 1}, {1, 0}),
                      blocked({64, 128}, {1, 1}, {32, 1}, {1, 4}, {0, 1}), bits);
  }
}

TEST(OptimalSwizzle, KeepsWideVectors) {
  auto widths = [](const LinearLayout &src, const LinearLayout &dst, int32_t bits) {
    SharedLinear shared = expectNoConflicts(src, dst, bits);
    return std::pair(shared.srcWidth, shared.dstWidth);
  };
  // Both sides hold 8 consecutive halves of a row: 128-bit accesses.
  LinearLayout src = blocked({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  LinearLayout dst = blocked({64, 64}, {1, 8}, {32, 1}, {1, 4}, {1, 0});
  EXPECT_EQ(widths(src, dst, 16), std::pair(8, 8));
  EXPECT_EQ(widths(src, dst, 32), std::pair(4, 4));
  // One side holds two columns of 32 rows: both can use two along a row, and rows 16 and 32 are added to the vector.
  LinearLayout narrow = blocked({64, 64}, {1, 2}, {8, 4}, {1, 4}, {1, 0});
  EXPECT_EQ(widths(src, narrow, 16), std::pair(8, 8));
  // The two sides share pairs; the loads are wider.
  LinearLayout single = blocked({64, 64}, {1, 2}, {16, 2}, {4, 1}, {1, 0});
  LinearLayout row = blocked({64, 64}, {1, 2}, {1, 32}, {4, 1}, {0, 1});
  EXPECT_EQ(widths(row, single, 16), std::pair(2, 8));
}

TEST(OptimalSwizzle, OneSideIsWiderThanTheOther) {
  auto widths = [](const LinearLayout &src, const LinearLayout &dst, int32_t bits) {
    SharedLinear shared = expectNoConflicts(src, dst, bits);
    return std::pair(shared.srcWidth, shared.dstWidth);
  };
  LinearLayout rows = blocked({64, 64}, {1, 4}, {2, 16}, {4, 1}, {1, 0});
  LinearLayout columns = blocked({64, 64}, {4, 1}, {16, 2}, {1, 4}, {0, 1});
  EXPECT_EQ(widths(rows, columns, 32), std::pair(1, 4));
  EXPECT_EQ(widths(columns, rows, 32), std::pair(1, 4));
  LinearLayout flat = blocked({512}, {1}, {32}, {4}, {0}), wide = blocked({512}, {4}, {32}, {4}, {0});
  for (int32_t bits : {8, 16, 32}) {
    EXPECT_EQ(widths(flat, wide, bits), std::pair(1, 4));
    // Registers of `flat` that are 128 elements apart may share an access as well.
    auto [stores, loads] = widths(wide, flat, bits);
    EXPECT_EQ(stores * loads, 4);
  }
}

TEST(OptimalSwizzle, WavesOf64AndDotOperands) {
  LinearLayout src = blocked({64, 64}, {1, 4}, {4, 16}, {4, 1}, {1, 0});
  Ints size{4, 4}, threads{8, 8}, warps{2, 2}, order{1, 0};
  BlockedParams parent{size, threads, warps, order};
  for (unsigned operand : {0u, 1u})
    for (const SharedBanks &banks :
         {SharedBanks::consecutive(32), SharedBanks::consecutive(64), loadsOf64BanksStoresOf32()})
      expectNoConflicts(src, fmaDotOperandLayout(operand, Ints{64, 64}, parent), 32, banks);
}

TEST(OptimalSwizzle, SmallTilesAndCopies) {
  // The tiles have fewer elements than there are banks, and lanes hold copies.
  expectNoConflicts(blocked({4, 4}, {1, 2}, {4, 8}, {2, 2}, {1, 0}), blocked({4, 4}, {2, 1}, {8, 4}, {2, 2}, {0, 1}),
                    16);
  expectNoConflicts(blocked({16}, {1}, {32}, {4}, {0}), blocked({16}, {4}, {32}, {4}, {0}), 8);
}

TEST(OptimalSwizzle, RandomLayouts) {
  std::mt19937 random(12);
  DimList ins{{Register, 4}, {Lane, 5}, {Warp, 2}, {Block, 0}}, outs{{Dim0, 5}, {Dim1, 5}};
  for (int round = 0; round < 60; ++round) {
    LinearLayout src = randomSurjection(random, ins, outs), dst = randomSurjection(random, ins, outs);
    expectNoConflicts(src, dst, 8 << round % 4);
  }
}

TEST(OptimalSwizzle, RandomLayoutsWhereStoresSeeFewerBanks) {
  std::mt19937 random(13);
  DimList ins{{Register, 4}, {Lane, 6}, {Warp, 2}, {Block, 0}}, outs{{Dim0, 5}, {Dim1, 6}};
  for (int round = 0; round < 60; ++round) {
    LinearLayout src = randomSurjection(random, ins, outs), dst = randomSurjection(random, ins, outs);
    expectNoConflicts(src, dst, 8 << round % 4, loadsOf64BanksStoresOf32());
  }
}
