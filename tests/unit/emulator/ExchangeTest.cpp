//===- ExchangeTest.cpp - What lanes of a warp tell each other -----------------------------------------===//
#include "emulator/block/Exchange.h"

#include <gtest/gtest.h>

using namespace hocket::emulator;
using hocket::host_abi::Exchange;

namespace {

/// Each lane brings 100 + its number; `a` and `b` are the same for all, or given per lane.
struct Meeting {
  ExchangeOperands operands = {};
  PerLane results = {};

  Meeting(Exchange kind, unsigned warpSize, uint64_t a = 0, uint64_t b = 0) {
    operands.kind = kind;
    operands.warpSize = warpSize;
    operands.members = warpSize == 64 ? ~uint64_t(0) : 0xffffffff;
    for (unsigned lane = 0; lane < kMaxWarpSize; ++lane)
      operands.value[lane] = 100 + lane;
    operands.a.fill(a);
    operands.b.fill(b);
  }
  /// The lane whose value `lane` received.
  int source(unsigned lane) {
    resolveExchange(operands, results);
    return int(uint32_t(results[lane])) - 100;
  }
};

TEST(Exchange, ButterflyShuffle) {
  Meeting meeting(Exchange::ShuffleBfly, 32, 5, 0x1f);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(meeting.source(lane), int(lane ^ 5));
}

TEST(Exchange, ShuffleUpKeepsItsOwnValueBelowTheSegment) {
  Meeting meeting(Exchange::ShuffleUp, 32, 3, 0);
  EXPECT_EQ(meeting.source(2), 2);
  EXPECT_EQ(meeting.source(3), 0);
  EXPECT_EQ(meeting.results[2] >> 32, 0u);
  EXPECT_EQ(meeting.results[3] >> 32, 1u);
}

TEST(Exchange, ShuffleDownStopsAtTheClamp) {
  Meeting meeting(Exchange::ShuffleDown, 32, 4, 0x1f);
  EXPECT_EQ(meeting.source(27), 31);
  EXPECT_EQ(meeting.source(28), 28);
}

TEST(Exchange, ShuffleIndexInSegmentsOfEight) {
  // Segments of 8 lanes: mask 0b11000 in bits 8-12, clamp 7.
  Meeting meeting(Exchange::ShuffleIdx, 32, 3, 0x1807 | 0x18);
  EXPECT_EQ(meeting.source(1), 3);
  EXPECT_EQ(meeting.source(20), 19);
}

TEST(Exchange, Votes) {
  Meeting any(Exchange::VoteAny, 32), all(Exchange::VoteAll, 32), ballot(Exchange::VoteBallot, 64),
      uniform(Exchange::VoteUniform, 32);
  for (Meeting *meeting : {&any, &all, &ballot, &uniform}) {
    meeting->operands.value.fill(0);
    meeting->operands.value[3] = 1;
    resolveExchange(meeting->operands, meeting->results);
  }
  EXPECT_EQ(any.results[0], 1u);
  EXPECT_EQ(all.results[0], 0u);
  EXPECT_EQ(ballot.results[63], 8u);
  EXPECT_EQ(uniform.results[0], 0u);
  all.operands.value.fill(1);
  resolveExchange(all.operands, all.results);
  EXPECT_EQ(all.results[0], 1u);
}

TEST(Exchange, MatchElectAndReduce) {
  Meeting match(Exchange::MatchAny, 32), elect(Exchange::Elect, 32), sum(Exchange::ReduceAdd, 32),
      least(Exchange::ReduceMin, 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    match.operands.value[lane] = lane % 2;
  resolveExchange(match.operands, match.results);
  EXPECT_EQ(match.results[1], 0xaaaaaaaau);
  elect.operands.members = 0xf0;
  resolveExchange(elect.operands, elect.results);
  EXPECT_EQ(elect.results[4], 1u);
  EXPECT_EQ(elect.results[5], 0u);
  resolveExchange(sum.operands, sum.results);
  EXPECT_EQ(sum.results[9], 32u * 100 + 31 * 16);
  least.operands.value[7] = uint32_t(-1);
  resolveExchange(least.operands, least.results);
  EXPECT_EQ(int32_t(least.results[0]), -1);
}

TEST(Exchange, BpermuteReadsAnyLane) {
  Meeting meeting(Exchange::Bpermute, 64);
  for (unsigned lane = 0; lane < 64; ++lane)
    meeting.operands.a[lane] = 4 * (63 - lane);
  EXPECT_EQ(meeting.source(0), 63);
  EXPECT_EQ(meeting.source(40), 23);
}

TEST(Exchange, SwizzleMasksAndQuads) {
  // xor 16 within 32 lanes: and 31, or 0, xor 16.
  Meeting masks(Exchange::Swizzle, 64, 0x1f | 16 << 10);
  EXPECT_EQ(masks.source(1), 17);
  EXPECT_EQ(masks.source(33), 49);
  // Reversed quads: 3, 2, 1, 0.
  Meeting quads(Exchange::Swizzle, 64, 0x8000 | 0b00011011);
  EXPECT_EQ(quads.source(4), 7);
  EXPECT_EQ(quads.source(62), 61);
}

uint64_t dppControl(unsigned control, unsigned rows = 0xf, unsigned banks = 0xf, bool boundsAreZero = false) {
  return control | rows << 16 | banks << 20 | uint64_t(boundsAreZero) << 24;
}

TEST(Exchange, DppWithinRows) {
  Meeting quad(Exchange::Dpp, 64, 0, dppControl(0b10110001)); // quad_perm [1, 0, 3, 2]
  EXPECT_EQ(quad.source(4), 5);
  EXPECT_EQ(quad.source(7), 6);
  Meeting right(Exchange::Dpp, 64, /*old=*/107, dppControl(0x111)); // row_shr:1
  EXPECT_EQ(right.source(17), 16);
  EXPECT_EQ(right.source(16), 7);
  Meeting zero(Exchange::Dpp, 64, 107, dppControl(0x111, 0xf, 0xf, true));
  zero.source(16);
  EXPECT_EQ(zero.results[16], 0u);
  Meeting rotated(Exchange::Dpp, 64, 0, dppControl(0x124)); // row_ror:4
  EXPECT_EQ(rotated.source(16), 28);
  Meeting mirrored(Exchange::Dpp, 64, 0, dppControl(0x140));
  EXPECT_EQ(mirrored.source(17), 30);
  Meeting halves(Exchange::Dpp, 64, 0, dppControl(0x141));
  EXPECT_EQ(halves.source(9), 14);
}

TEST(Exchange, DppAcrossRows) {
  Meeting next(Exchange::Dpp, 64, /*old=*/200, dppControl(0x142, 0xa)); // row_bcast:15 into rows 1 and 3
  EXPECT_EQ(next.source(5), 100);
  EXPECT_EQ(next.source(20), 15);
  EXPECT_EQ(next.source(40), 100);
  EXPECT_EQ(next.source(50), 47);
  Meeting upper(Exchange::Dpp, 64, 200, dppControl(0x143, 0xc)); // row_bcast:31 into rows 2 and 3
  EXPECT_EQ(upper.source(31), 100);
  EXPECT_EQ(upper.source(32), 31);
}

TEST(Exchange, PermlaneSwaps) {
  Meeting meeting(Exchange::Permlane16Swap, 64);
  for (unsigned lane = 0; lane < 64; ++lane)
    meeting.operands.a[lane] = 200 + lane;
  resolveExchange(meeting.operands, meeting.results);
  EXPECT_EQ(uint32_t(meeting.results[3]), 103u);
  EXPECT_EQ(meeting.results[3] >> 32, 119u);
  EXPECT_EQ(uint32_t(meeting.results[19]), 203u);
  EXPECT_EQ(meeting.results[19] >> 32, 219u);
  meeting.operands.kind = Exchange::Permlane32Swap;
  resolveExchange(meeting.operands, meeting.results);
  EXPECT_EQ(meeting.results[3] >> 32, 135u);
  EXPECT_EQ(uint32_t(meeting.results[35]), 203u);
}

} // namespace
