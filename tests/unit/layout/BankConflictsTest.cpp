//===- BankConflictsTest.cpp - Wavefronts counted by hand and by the code -------------===//
#include "layout/BankConflicts.h"

#include <gtest/gtest.h>

using namespace hocket;
using enum Dim;
using Ints = std::vector<int64_t>;

static const SharedBanks kBanks32 = SharedBanks::consecutive(32), kBanks64 = SharedBanks::consecutive(64);

static LinearLayout blocked(Ints shape, Ints size, Ints threads, Ints warps, Ints order) {
  return blockedLayout(shape, {size, threads, warps, order});
}

static LinearLayout rowMajor(Ints shape) { return swizzledSharedLayout(shape, 1, 1, 1, Ints{1, 0}); }

static std::vector<Wavefronts> count(const LinearLayout &registers, const LinearLayout &shared, int32_t bits,
                                     const SharedBanks &banks, std::vector<Padding> paddings = {},
                                     SharedAccess access = SharedAccess::Load, int32_t startBits = 0) {
  return countWavefronts({registers.invertAndCompose(shared), bits, std::move(paddings), startBits}, access, banks);
}

/// Returns the map with these offsets for the bits of register, lane and warp.
static LinearLayout offsets(Ints registers, Ints lanes, Ints warps, uint8_t bits = 8) {
  auto rows = [](const Ints &values) {
    BasisRows result;
    for (int64_t value : values)
      result.push_back({int32_t(value)});
    return result;
  };
  const std::pair<Dim, BasisRows> bases[] = {{Register, rows(registers)}, {Lane, rows(lanes)}, {Warp, rows(warps)}};
  const DimBits outs[] = {{Offset, bits}};
  return LinearLayout::fromBases(bases, outs);
}

using Warps = std::vector<Wavefronts>;

TEST(CountWavefronts, ColumnsOfARowMajorTileConflict) {
  // 32 lanes read a column of a 32 x 32 tile of words: all in bank 0.
  LinearLayout columns = blocked({32, 32}, {1, 1}, {32, 1}, {1, 1}, {0, 1});
  LinearLayout rows = blocked({32, 32}, {1, 1}, {1, 32}, {1, 1}, {1, 0});
  SharedBanks words = SharedBanks::consecutive(32, 32);
  EXPECT_EQ(count(columns, rowMajor({32, 32}), 32, words), (Warps{{32 * 32, 32}}));
  EXPECT_EQ(count(rows, rowMajor({32, 32}), 32, words), (Warps{{32, 32}}));
  // The usual swizzle removes the conflicts, and so does one word of padding after each row.
  LinearLayout swizzled = swizzledSharedLayout(Ints{32, 32}, 1, 1, 32, Ints{1, 0});
  EXPECT_EQ(count(columns, swizzled, 32, words), (Warps{{32, 32}}));
  EXPECT_EQ(count(columns, rowMajor({32, 32}), 32, words, {{32, 1}}), (Warps{{32, 32}}));
  // Two words of padding: rows r and r + 16 share a bank.
  EXPECT_EQ(count(columns, rowMajor({32, 32}), 32, words, {{32, 2}}), (Warps{{64, 32}}));
}

TEST(CountWavefronts, CopiesAreServedTogether) {
  LinearLayout copies = LinearLayout::identity1D(4, Register, Dim0) * LinearLayout::zeros1D(32, Lane, Dim0);
  LinearLayout plain = LinearLayout::identity1D(4, Offset, Dim0);
  EXPECT_EQ(count(copies, plain, 32, SharedBanks::consecutive(32, 32)), (Warps{{4, 4}}));
  // 64 lanes in two phases: each word is delivered twice, once per phase.
  LinearLayout wide = LinearLayout::identity1D(4, Register, Dim0) * LinearLayout::zeros1D(64, Lane, Dim0);
  EXPECT_EQ(count(wide, plain, 32, kBanks32), (Warps{{8, 8}}));
}

TEST(CountWavefronts, NarrowElementsShareWords) {
  // Two bytes per lane along a row: 32 lanes access 16 words, in 16 banks.
  LinearLayout rows = blocked({1, 32}, {1, 1}, {1, 32}, {1, 1}, {1, 0});
  EXPECT_EQ(count(rows, rowMajor({1, 32}), 16, kBanks32), (Warps{{1, 1}}));
  // 32 rows of 16 words: rows r and r + 2 share a bank.
  LinearLayout column = blocked({32, 32}, {1, 1}, {32, 1}, {1, 1}, {0, 1});
  EXPECT_EQ(count(column, rowMajor({32, 32}), 16, SharedBanks::consecutive(32, 16)), (Warps{{16 * 32, 32}}));
}

TEST(CountWavefronts, WideAccessesAreServedInPhases) {
  // Lane l holds 16 bytes of row l; rows are 64 bytes: lanes l and l + 2 use the same banks. Eight lanes per phase
  // access four different words in each of these banks.
  LinearLayout rows = blocked({64, 32}, {1, 8}, {64, 1}, {1, 1}, {1, 0});
  EXPECT_EQ(count(rows, rowMajor({64, 32}), 16, kBanks32), (Warps{{4 * 4 * 8, 4 * 8}}));
  EXPECT_EQ(count(rows, rowMajor({64, 32}), 16, kBanks64), (Warps{{4 * 4 * 4, 4 * 4}}));
}

TEST(CountWavefronts, LanesOfAPhaseNeedNotBeNeighbors) {
  // Lane l at word 4 l, but lanes 16..31 at the words of lanes 0..15 plus 128 (another word of the same banks).
  LinearLayout toOffset = offsets({1, 2}, {4, 8, 16, 32, 128}, {});
  auto countWith = [&](std::array<uint8_t, 6> together) {
    SharedBanks banks = kBanks32;
    banks.phases[size_t(SharedAccess::Load)][4] = {32, together};
    return countWavefronts({.toOffset = toOffset}, SharedAccess::Load, banks);
  };
  EXPECT_EQ(countWith({1, 2, 4}), (Warps{{4, 4}}));
  EXPECT_EQ(countWith({1, 2, 4 ^ 16}), (Warps{{4, 4}}));
  EXPECT_EQ(countWith({1, 2, 16}), (Warps{{8, 4}}));
}

TEST(CountWavefronts, StoresMaySeeFewerBanks) {
  SharedBanks banks = SharedBanks::consecutive(64, 32);
  banks.phases[size_t(SharedAccess::Store)] = kBanks32.phases[size_t(SharedAccess::Store)];
  // A column of a tile whose rows are 32 words.
  LinearLayout column = blocked({64, 32}, {1, 1}, {64, 1}, {1, 1}, {0, 1});
  EXPECT_EQ(count(column, rowMajor({64, 32}), 32, banks, {}, SharedAccess::Load), (Warps{{32 * 32, 32}}));
  EXPECT_EQ(count(column, rowMajor({64, 32}), 32, banks, {}, SharedAccess::Store), (Warps{{64 * 32, 64}}));
}

TEST(CountWavefronts, PaddingMakesWarpsDiffer) {
  // Warp 0 accesses eight words at offset 0 and eight at 96, warp 1 at 32 and at 32 ^ 96 = 64. Four words of padding
  // after every 32 words move those of warp 0 to 0 and 108, banks 0..7 and 12..19, and those of warp 1 to 36 and 72,
  // banks 4..11 and 8..15.
  LinearLayout toOffset = offsets({}, {1, 2, 4, 0, 96}, {32});
  EXPECT_EQ(countWavefronts({.toOffset = toOffset, .paddings = {{32, 4}}}, SharedAccess::Load, kBanks32),
            (Warps{{1, 1}, {2, 1}}));
  // Without padding all four start in bank 0.
  EXPECT_EQ(countWavefronts({.toOffset = toOffset}, SharedAccess::Load, kBanks32), (Warps{{2, 1}, {2, 1}}));
}

TEST(CountWavefronts, PaddingAndViewsLimitTheWidth) {
  LinearLayout rows = blocked({8, 32}, {1, 8}, {8, 4}, {1, 1}, {1, 0});
  // Accesses of 16 bytes take 32 lanes in 4 phases. After 8 bytes of padding, accesses have only 8 bytes: 2 per lane,
  // each in 2 phases.
  EXPECT_EQ(sumOf(count(rows, rowMajor({8, 32}), 16, kBanks32)).ideal, 4);
  EXPECT_EQ(sumOf(count(rows, rowMajor({8, 32}), 16, kBanks32, {{32, 4}})).ideal, 2 * 2);
  EXPECT_EQ(sumOf(count(rows, rowMajor({8, 32}), 16, kBanks32, {{32, 1}})).ideal, 8);
  EXPECT_EQ(sumOf(count(rows, rowMajor({8, 32}), 16, kBanks32, {}, SharedAccess::Load, /*startBits=*/2)).ideal, 4);
}

TEST(CountWavefronts, TransposedReads) {
  // An operand whose 16 columns are adjacent in rows of 64 halves: 8 rows in registers, 4 times 8 in lanes.
  SharedTileAccess tile{.toOffset = offsets({64, 128, 256}, {1, 2, 4, 8, 512, 1024}, {}, 11), .elementBits = 16};
  SharedBanks banks = kBanks64;
  // Accesses of halves: 64 lanes access 4 rows of 8 words, which are 8 rows and thus 256 words apart. There are eight
  // loads.
  EXPECT_EQ(countWavefronts(tile, SharedAccess::Load, banks), (Warps{{8 * 4, 8}}));
  // Accesses of 8 bytes: 32 lanes access 8 rows of 8 words. Rows are 32 words, so four of them use the same banks.
  // There are two loads in two phases.
  banks.transposesLoads = true;
  EXPECT_EQ(countWavefronts(tile, SharedAccess::Load, banks), (Warps{{4 * 4, 4}}));
  EXPECT_EQ(countWavefronts(tile, SharedAccess::Store, banks), (Warps{{8 * 4, 8}}));
  // 8 words of padding after each row make the banks of rows 0 to 3 adjacent; 32 more after eight rows put the other
  // four between them.
  tile.paddings = {{64, 16}, {512, 64}};
  EXPECT_EQ(countWavefronts(tile, SharedAccess::Load, banks), (Warps{{4, 4}}));
}
