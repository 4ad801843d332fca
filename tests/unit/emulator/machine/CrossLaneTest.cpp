//===- CrossLaneTest.cpp - Operations across the lanes of a warp ----------------------------------------===//
#include "emulator/machine/CrossLane.h"

#include <gtest/gtest.h>

using namespace hocket::emulator;
using hocket::host_abi::CrossLaneOp;

namespace {

/// The value of each lane is 100 + its index. `a` and `b` are the same for all lanes, or given per lane.
struct Exchange {
  CrossLaneOperands operands = {};
  PerLane results = {};

  Exchange(CrossLaneOp kind, unsigned warpSize, uint64_t a = 0, uint64_t b = 0) {
    operands.kind = kind;
    operands.warpSize = warpSize;
    operands.members = warpSize == 64 ? ~uint64_t(0) : 0xffffffff;
    for (unsigned lane = 0; lane < kMaxWarpSize; ++lane)
      operands.value[lane] = 100 + lane;
    operands.a.fill(a);
    operands.b.fill(b);
  }
  /// Returns the lane whose value `lane` received.
  int source(unsigned lane) {
    resolveCrossLane(operands, results);
    return int(uint32_t(results[lane])) - 100;
  }
};

TEST(CrossLane, ButterflyShuffle) {
  Exchange exchange(CrossLaneOp::ShuffleBfly, 32, 5, 0x1f);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(exchange.source(lane), int(lane ^ 5));
}

TEST(CrossLane, ShuffleUpKeepsItsOwnValueBelowTheSegment) {
  Exchange exchange(CrossLaneOp::ShuffleUp, 32, 3, 0);
  EXPECT_EQ(exchange.source(2), 2);
  EXPECT_EQ(exchange.source(3), 0);
  EXPECT_EQ(exchange.results[2] >> 32, 0u);
  EXPECT_EQ(exchange.results[3] >> 32, 1u);
}

TEST(CrossLane, ShuffleDownStopsAtTheClamp) {
  Exchange exchange(CrossLaneOp::ShuffleDown, 32, 4, 0x1f);
  EXPECT_EQ(exchange.source(27), 31);
  EXPECT_EQ(exchange.source(28), 28);
}

TEST(CrossLane, ShuffleIndexInSegmentsOfEight) {
  // Segments of 8 lanes: mask 0b11000 in bits 8-12, clamp 7.
  Exchange exchange(CrossLaneOp::ShuffleIdx, 32, 3, 0x1807 | 0x18);
  EXPECT_EQ(exchange.source(1), 3);
  EXPECT_EQ(exchange.source(20), 19);
}

TEST(CrossLane, Votes) {
  Exchange any(CrossLaneOp::VoteAny, 32), all(CrossLaneOp::VoteAll, 32), ballot(CrossLaneOp::VoteBallot, 64),
      uniform(CrossLaneOp::VoteUniform, 32);
  for (Exchange *exchange : {&any, &all, &ballot, &uniform}) {
    exchange->operands.value.fill(0);
    exchange->operands.value[3] = 1;
    resolveCrossLane(exchange->operands, exchange->results);
  }
  EXPECT_EQ(any.results[0], 1u);
  EXPECT_EQ(all.results[0], 0u);
  EXPECT_EQ(ballot.results[63], 8u);
  EXPECT_EQ(uniform.results[0], 0u);
  all.operands.value.fill(1);
  resolveCrossLane(all.operands, all.results);
  EXPECT_EQ(all.results[0], 1u);
}

TEST(CrossLane, MatchElectAndReduce) {
  Exchange match(CrossLaneOp::MatchAny, 32), elect(CrossLaneOp::Elect, 32), sum(CrossLaneOp::ReduceAdd, 32),
      least(CrossLaneOp::ReduceMin, 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    match.operands.value[lane] = lane % 2;
  resolveCrossLane(match.operands, match.results);
  EXPECT_EQ(match.results[1], 0xaaaaaaaau);
  elect.operands.members = 0xf0;
  resolveCrossLane(elect.operands, elect.results);
  EXPECT_EQ(elect.results[4], 1u);
  EXPECT_EQ(elect.results[5], 0u);
  resolveCrossLane(sum.operands, sum.results);
  EXPECT_EQ(sum.results[9], 32u * 100 + 31 * 16);
  least.operands.value[7] = uint32_t(-1);
  resolveCrossLane(least.operands, least.results);
  EXPECT_EQ(int32_t(least.results[0]), -1);
}

TEST(CrossLane, BpermuteReadsAnyLane) {
  Exchange exchange(CrossLaneOp::Bpermute, 64);
  for (unsigned lane = 0; lane < 64; ++lane)
    exchange.operands.a[lane] = 4 * (63 - lane);
  EXPECT_EQ(exchange.source(0), 63);
  EXPECT_EQ(exchange.source(40), 23);
}

TEST(CrossLane, SwizzleMasksAndQuads) {
  // xor 16 within 32 lanes: and 31, or 0, xor 16.
  Exchange masks(CrossLaneOp::Swizzle, 64, 0x1f | 16 << 10);
  EXPECT_EQ(masks.source(1), 17);
  EXPECT_EQ(masks.source(33), 49);
  // Reversed quads: 3, 2, 1, 0.
  Exchange quads(CrossLaneOp::Swizzle, 64, 0x8000 | 0b00011011);
  EXPECT_EQ(quads.source(4), 7);
  EXPECT_EQ(quads.source(62), 61);
}

uint64_t dppControl(unsigned control, unsigned rows = 0xf, unsigned banks = 0xf, bool boundsAreZero = false) {
  return control | rows << 16 | banks << 20 | uint64_t(boundsAreZero) << 24;
}

TEST(CrossLane, DppWithinRows) {
  Exchange quad(CrossLaneOp::Dpp, 64, 0, dppControl(0b10110001)); // quad_perm [1, 0, 3, 2]
  EXPECT_EQ(quad.source(4), 5);
  EXPECT_EQ(quad.source(7), 6);
  Exchange right(CrossLaneOp::Dpp, 64, /*old=*/107, dppControl(0x111)); // row_shr:1
  EXPECT_EQ(right.source(17), 16);
  EXPECT_EQ(right.source(16), 7);
  Exchange zero(CrossLaneOp::Dpp, 64, 107, dppControl(0x111, 0xf, 0xf, true));
  zero.source(16);
  EXPECT_EQ(zero.results[16], 0u);
  Exchange rotated(CrossLaneOp::Dpp, 64, 0, dppControl(0x124)); // row_ror:4
  EXPECT_EQ(rotated.source(16), 28);
  Exchange mirrored(CrossLaneOp::Dpp, 64, 0, dppControl(0x140));
  EXPECT_EQ(mirrored.source(17), 30);
  Exchange halves(CrossLaneOp::Dpp, 64, 0, dppControl(0x141));
  EXPECT_EQ(halves.source(9), 14);
}

TEST(CrossLane, DppAcrossRows) {
  Exchange next(CrossLaneOp::Dpp, 64, /*old=*/200, dppControl(0x142, 0xa)); // row_bcast:15 into rows 1 and 3
  EXPECT_EQ(next.source(5), 100);
  EXPECT_EQ(next.source(20), 15);
  EXPECT_EQ(next.source(40), 100);
  EXPECT_EQ(next.source(50), 47);
  Exchange upper(CrossLaneOp::Dpp, 64, 200, dppControl(0x143, 0xc)); // row_bcast:31 into rows 2 and 3
  EXPECT_EQ(upper.source(31), 100);
  EXPECT_EQ(upper.source(32), 31);
}

TEST(CrossLane, PermlaneSwaps) {
  Exchange exchange(CrossLaneOp::Permlane16Swap, 64);
  for (unsigned lane = 0; lane < 64; ++lane)
    exchange.operands.a[lane] = 200 + lane;
  resolveCrossLane(exchange.operands, exchange.results);
  EXPECT_EQ(uint32_t(exchange.results[3]), 103u);
  EXPECT_EQ(exchange.results[3] >> 32, 119u);
  EXPECT_EQ(uint32_t(exchange.results[19]), 203u);
  EXPECT_EQ(exchange.results[19] >> 32, 219u);
  exchange.operands.kind = CrossLaneOp::Permlane32Swap;
  resolveCrossLane(exchange.operands, exchange.results);
  EXPECT_EQ(exchange.results[3] >> 32, 135u);
  EXPECT_EQ(uint32_t(exchange.results[35]), 203u);
}

} // namespace
