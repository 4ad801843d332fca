//===- ConvertLayoutPlanTest.cpp - Layout conversions, executed -------------------===//
//
// The registers hold element indices; layouts are random or chosen by hand.
//
//===------------------------------------------------------------------------------===//
#include "SimulatedBlock.h"

#include "layout/BankConflicts.h"
#include "layout/Factories.h"
#include <gtest/gtest.h>

namespace hocket {

namespace {

const TargetInfo &kHopper = *findTarget("sm_90a");
const TargetInfo &kCdna4 = *findTarget("gfx950");

/// Executes the plan and compares every register of every lane.
ConvertLayoutPlan check(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                        const TargetInfo &target = kHopper, std::optional<int64_t> scratchLimit = {}) {
  ConvertLayoutPlan plan = *planConvertLayout(src, dst, elementBits, target, scratchLimit);
  Registers<int64_t> result = std::visit([&](auto &moves) { return execute(moves, elementsOf(src)); }, plan);
  EXPECT_EQ(result, elementsOf(dst)) << "from\n" << src.toString() << "to\n" << dst.toString();
  return plan;
}

LinearLayout blocked(std::vector<int64_t> shape, std::vector<int64_t> size, std::vector<int64_t> threads,
                     std::vector<int64_t> warps, std::vector<int64_t> order) {
  return blockedLayout(shape, {size, threads, warps, order});
}

Wavefronts wavefrontsOf(const LinearLayout &offsets, int64_t elements, unsigned elementBits, SharedAccess access,
                        const TargetInfo &target) {
  const DimBits size[] = {{Dim::Offset, uint8_t(log2Exact(elements))}};
  return sumOf(countWavefronts({.toOffset = offsets.ensureNotLargerThan(size), .elementBits = int32_t(elementBits)},
                               access, *target.sharedPhases));
}

void expectNoConflicts(const SharedMoves &moves, unsigned elementBits, const TargetInfo &target) {
  for (auto [offsets, access] :
       {std::pair(&moves.storeOffset, SharedAccess::Store), std::pair(&moves.loadOffset, SharedAccess::Load)}) {
    Wavefronts wavefronts = wavefrontsOf(*offsets, moves.elementsPerRepetition, elementBits, access, target);
    EXPECT_EQ(wavefronts.actual, wavefronts.ideal) << offsets->toString();
  }
}

} // namespace

TEST(ConvertLayoutPlan, RegistersWhereLanesKeepTheirElements) {
  LinearLayout rows = blocked({4, 64}, {2, 2}, {1, 32}, {2, 1}, {1, 0});
  LinearLayout columns = blocked({4, 64}, {2, 2}, {1, 32}, {2, 1}, {0, 1});
  ConvertLayoutPlan plan = check(rows, columns, 32);
  ASSERT_TRUE(std::holds_alternative<RegisterMoves>(plan));
  EXPECT_EQ(std::get<RegisterMoves>(plan).source, (std::vector<unsigned>{0, 2, 1, 3}));
}

TEST(ConvertLayoutPlan, RegistersWhereLanesBecomeCopies) {
  // In both layouts, all four warps hold copies of the tile.
  LinearLayout wide = blocked({64}, {2}, {32}, {4}, {0}), narrow = blocked({64}, {2}, {32}, {1}, {0});
  EXPECT_TRUE(
      std::holds_alternative<RegisterMoves>(check(wide, narrow * LinearLayout::zeros1D(4, Dim::Warp, Dim::Dim0), 16)));
}

TEST(ConvertLayoutPlan, ButterflyTransposesTwoByTwo) {
  LinearLayout src =
      distributedFromBases({{0, 1}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, {}, {}, std::vector<int64_t>{32, 2});
  LinearLayout dst =
      distributedFromBases({{1, 0}}, {{0, 1}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, {}, {}, std::vector<int64_t>{32, 2});
  ConvertLayoutPlan plan = check(src, dst, 32);
  ASSERT_TRUE(std::holds_alternative<ShuffleMoves>(plan));
  auto &moves = std::get<ShuffleMoves>(plan);
  EXPECT_TRUE(moves.isButterfly());
  EXPECT_EQ(moves.before.size(), 1u);
  EXPECT_EQ(moves.after.size(), 1u);
  // One shuffle; two selects before it, two after.
  EXPECT_EQ(moves.cost(), 5u);
}

TEST(ConvertLayoutPlan, ShufflePacksNarrowElements) {
  // Pairs of adjacent elements stay together while lanes are reversed.
  std::vector<int64_t> shape = {128};
  LinearLayout src = distributedFromBases({{1}, {64}}, {{2}, {4}, {8}, {16}, {32}}, {}, {}, shape);
  LinearLayout dst = distributedFromBases({{1}, {64}}, {{32}, {16}, {8}, {4}, {2}}, {}, {}, shape);
  EXPECT_EQ(std::get<ShuffleMoves>(check(src, dst, 32)).rounds.size(), 4u);
  EXPECT_EQ(std::get<ShuffleMoves>(check(src, dst, 16)).rounds.size(), 2u);
  EXPECT_EQ(std::get<ShuffleMoves>(check(src, dst, 8)).rounds.size(), 1u);
}

TEST(ConvertLayoutPlan, SliceToBlockedReadsTheNearestCopy) {
  LinearLayout parent = blocked({64, 1}, {1, 4}, {8, 4}, {4, 1}, {1, 0});
  LinearLayout slice = sliceLayout(parent, 1), flat = blocked({64}, {1}, {32}, {4}, {0});
  check(slice, flat, 32);
  check(flat, slice, 32);
}

TEST(ConvertLayoutPlan, BigTransposeGoesThroughSharedMemoryWithoutConflicts) {
  LinearLayout rows = blocked({64, 64}, {1, 4}, {2, 16}, {4, 1}, {1, 0});
  LinearLayout columns = blocked({64, 64}, {4, 1}, {16, 2}, {1, 4}, {0, 1});
  for (unsigned bits : {8, 16, 32, 64})
    for (const TargetInfo *target : {&kHopper, &kCdna4}) {
      ConvertLayoutPlan plan = check(rows, columns, bits, *target);
      ASSERT_TRUE(std::holds_alternative<SharedMoves>(plan));
      expectNoConflicts(std::get<SharedMoves>(plan), bits, *target);
      EXPECT_EQ(std::get<SharedMoves>(plan).scratchBytes, 64 * 64 * bits / 8);
    }
}

TEST(ConvertLayoutPlan, RepetitionsBoundTheScratch) {
  LinearLayout rows = blocked({64, 256}, {1, 8}, {2, 16}, {4, 1}, {1, 0});
  LinearLayout other = blocked({64, 256}, {1, 4}, {1, 32}, {1, 4}, {1, 0});
  ConvertLayoutPlan plan = check(rows, other, 32, kHopper, 16 * 1024);
  auto &moves = std::get<SharedMoves>(plan);
  EXPECT_EQ(moves.repetitions, 4u);
  EXPECT_EQ(moves.scratchBytes, 16 * 1024);
  EXPECT_EQ(moves.store.width, 4);
  EXPECT_EQ(moves.load.width, 4);
  expectNoConflicts(moves, 32, kHopper);
}

TEST(ConvertLayoutPlan, DotOperandsFromBlocked) {
  std::vector<int64_t> size = {4, 4}, threads = {8, 4}, warps = {2, 2}, order = {1, 0};
  BlockedParams parent{size, threads, warps, order};
  LinearLayout loaded = blocked({64, 32}, {1, 4}, {4, 8}, {4, 1}, {1, 0});
  for (unsigned opIdx : {0, 1}) {
    LinearLayout operand = fmaDotOperandLayout(opIdx, std::vector<int64_t>{64, 32}, parent);
    for (unsigned bits : {8, 16, 32})
      if (auto plan = check(loaded, operand, bits); auto *moves = std::get_if<SharedMoves>(&plan))
        expectNoConflicts(*moves, bits, kHopper);
  }
}

/// Pairs of random layouts: `lane` bits per warp, with and without copies on either side.
class DrawnConversions : public testing::TestWithParam<const TargetInfo *> {};

TEST_P(DrawnConversions, PlainLayouts) {
  std::mt19937 random(20261121);
  unsigned laneBits = log2Exact(GetParam()->warpSize);
  const DimBits tile[] = {{Dim::Dim0, 5}, {Dim::Dim1, 5}};
  int shuffles = 0, shared = 0;
  for (int i = 0; i < 200; ++i) {
    unsigned warpBits = random() % 3, least = 10 - std::min(10u, laneBits + warpBits);
    BlockBits from{least + unsigned(random() % 3), laneBits, warpBits},
        to{least + unsigned(random() % 3), laneBits, warpBits};
    LinearLayout src = drawPlainLayout(random, from, tile), dst = drawPlainLayout(random, to, tile);
    unsigned elementBits = 8u << random() % 4;
    ConvertLayoutPlan plan = check(src, dst, elementBits, *GetParam());
    shuffles += std::holds_alternative<ShuffleMoves>(plan);
    if (auto *moves = std::get_if<SharedMoves>(&plan)) {
      ++shared;
      expectNoConflicts(*moves, elementBits, *GetParam());
    }
    if (testing::Test::HasFailure())
      FAIL() << "conversion " << i;
  }
  EXPECT_GT(shuffles, 10);
  EXPECT_GT(shared, 10);
}

TEST_P(DrawnConversions, WithinOneWarp) {
  // With one warp shared memory is never required, so that all kinds of shuffles occur.
  std::mt19937 random(7);
  unsigned laneBits = log2Exact(GetParam()->warpSize);
  const DimBits tile[] = {{Dim::Dim0, uint8_t(laneBits)}, {Dim::Dim1, 2}};
  int shuffles = 0;
  for (int i = 0; i < 300; ++i) {
    BlockBits from{2 + unsigned(random() % 2), laneBits, 0}, to{2 + unsigned(random() % 2), laneBits, 0};
    bool isPlain = random() % 2;
    LinearLayout src = isPlain ? drawPlainLayout(random, from, tile) : drawLayout(random, from, tile);
    LinearLayout dst = isPlain ? drawPlainLayout(random, to, tile) : drawLayout(random, to, tile);
    shuffles += std::holds_alternative<ShuffleMoves>(check(src, dst, 8u << random() % 3, *GetParam()));
    if (testing::Test::HasFailure())
      FAIL() << "conversion " << i;
  }
  EXPECT_GT(shuffles, 100);
}

TEST_P(DrawnConversions, AnyLinearLayouts) {
  std::mt19937 random(3);
  unsigned laneBits = log2Exact(GetParam()->warpSize);
  const DimBits tile[] = {{Dim::Dim0, 4}, {Dim::Dim1, 7}};
  for (int i = 0; i < 100; ++i) {
    BlockBits from{4 + unsigned(random() % 2), laneBits, 2}, to{4 + unsigned(random() % 2), laneBits, 2};
    check(drawLayout(random, from, tile), drawLayout(random, to, tile), 8u << random() % 4, *GetParam(),
          random() % 2 ? std::optional<int64_t>(1024) : std::nullopt);
    if (testing::Test::HasFailure())
      FAIL() << "conversion " << i;
  }
}

TEST_P(DrawnConversions, WarpsMoveWithinWarpLocalPermutations) {
  // Each warp selects different lanes and registers: the exchange lane and the words depend on the warp.
  std::mt19937 random(11);
  unsigned laneBits = log2Exact(GetParam()->warpSize);
  const DimBits tile[] = {{Dim::Dim0, uint8_t(laneBits + 2)}, {Dim::Dim1, 2}};
  int shuffles = 0;
  for (int i = 0; i < 100; ++i) {
    BlockBits bits{2, laneBits, 2};
    LinearLayout src = drawPlainLayout(random, bits, tile), dst = src;
    // dst = src after an invertible map of the positions that keeps the warp.
    for (int step = 0; step < 12; ++step) {
      Dim to = random() % 2 ? Dim::Register : Dim::Lane;
      Dim from = std::array{Dim::Register, Dim::Lane, Dim::Warp}[random() % 3];
      unsigned toBit = random() % dst.getInDimSizeLog2(to), fromBit = random() % dst.getInDimSizeLog2(from);
      if (to == from && toBit == fromBit)
        continue;
      uint64_t sum = dst.getFlatBases(to)[toBit] ^ dst.getFlatBases(from)[fromBit];
      dst.setBasis(from, fromBit, dst.unflattenOut(sum));
    }
    shuffles += std::holds_alternative<ShuffleMoves>(check(src, dst, 32, *GetParam()));
    if (testing::Test::HasFailure())
      FAIL() << "conversion " << i;
  }
  EXPECT_GT(shuffles, 50);
}

INSTANTIATE_TEST_SUITE_P(Targets, DrawnConversions, testing::Values(&kHopper, &kCdna4),
                         [](const auto &info) { return std::string(info.param->name); });

} // namespace hocket
