//===- RingSlotsTest.cpp - Iterations that select the same slot of a ring buffer -----------===//
#include "RingSlotsFixture.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hocket;

namespace {
using RingSlots = RingSlotsFixture;
} // namespace

TEST_F(RingSlots, InductionVariableModuloThree) {
  parse(R"(
    %a = arith.remsi %i, %c3 : i32
    %j = arith.addi %i, %c2 : i32
    %b = arith.remsi %j, %c3 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), 1); // k % 3 == (k + 1 + 2) % 3
  EXPECT_EQ(meet(1, 0, 0), 2); // (k + 2) % 3 == (k + 2) % 3
  EXPECT_EQ(meet(0, 0, 1), 3);
  EXPECT_EQ(meet(1, 0, 3), 5);
}

TEST_F(RingSlots, SlotsSelectedInFrontOfTheLoop) {
  parse(R"(
    %a = arith.remsi %i, %c3 : i32
    %j = arith.addi %i, %c2 : i32
    %b = arith.remsi %j, %c3 : i32
    %twice = arith.muli %i, %c2 : i32
    %even = arith.remsi %twice, %c4 : i32
    "test.use"(%a, %b, %i, %even) : (i32, i32, i32, i32) -> ()
    "test.front"(%c0, %c1, %c2, %c3, %m) : (i32, i32, i32, i32, i32) -> ())");
  std::vector<RingIndex> front = indicesInFront();
  auto first = [&](unsigned before, unsigned later, bool sameRun = true) {
    return RingIndex::firstIterationAt(front[before], indices[later], sameRun);
  };
  EXPECT_EQ(first(0, 0), 0); // k % 3 == 0
  EXPECT_EQ(first(1, 0), 1);
  EXPECT_EQ(first(2, 0), 2);
  EXPECT_EQ(first(0, 1), 1); // (k + 2) % 3 == 0
  EXPECT_EQ(first(2, 1), 0);
  EXPECT_EQ(first(3, 2), 3);            // k == 3
  EXPECT_EQ(first(2, 3), 1);            // 2 k % 4 == 2
  EXPECT_EQ(first(1, 3), std::nullopt); // 2 k is never odd
  EXPECT_EQ(first(4, 0), 0);            // %m may be anything
  EXPECT_EQ(first(1, 0, false), 1);     // constants are the same in all runs
}

TEST_F(RingSlots, SlotsSelectedInFrontRelativeToTheLowerBound) {
  parse(R"(
    %a = arith.remsi %i, %c3 : i32
    %next = arith.addi %lower, %c1 : i32
    "test.use"(%a) : (i32) -> ()
    "test.front"(%lower, %next) : (i32, i32) -> ())",
        "", "%lower");
  std::vector<RingIndex> front = indicesInFront();
  EXPECT_EQ(RingIndex::firstIterationAt(front[0], indices[0], true), 0);
  EXPECT_EQ(RingIndex::firstIterationAt(front[1], indices[0], true), 1);
  // The bound of an earlier run may have been another number.
  EXPECT_EQ(RingIndex::firstIterationAt(front[1], indices[0], false), 0);
}

TEST_F(RingSlots, UnknownLowerBoundCancels) {
  parse(R"(
    %a = arith.remsi %i, %c2 : i32
    %j = arith.addi %i, %c1 : i32
    %b = arith.andi %j, %c1 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())",
        "", "%lower");
  EXPECT_EQ(meet(0, 1, 0), 1);
  EXPECT_EQ(meet(1, 0, 0), 1);
}

TEST_F(RingSlots, ModuliThatDiffer) {
  parse(R"(
    %a = arith.remsi %i, %c4 : i32
    %b = arith.remsi %i, %c3 : i32
    %j = arith.addi %i, %c1 : i32
    %c = arith.remsi %j, %c2 : i32
    "test.use"(%a, %b, %c) : (i32, i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), 0); // 4 and 3 have no common divisor, so the slots may be equal
  EXPECT_EQ(meet(0, 2, 0), 1); // both are known modulo 2
}

TEST_F(RingSlots, ConstantsAndStrides) {
  parse(R"(
    %k = arith.muli %i, %c64 : i32
    %d = arith.divsi %k, %c64 : i32
    %a = arith.remsi %d, %c2 : i32
    "test.use"(%c0, %c1, %a, %i) : (i32, i32, i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), std::nullopt);
  EXPECT_EQ(meet(0, 0, 4), 4);
  EXPECT_EQ(meet(2, 2, 1), 2);
  EXPECT_EQ(meet(3, 3, 1), std::nullopt); // i never has the same value again
}

TEST_F(RingSlots, ComputedInTheLoopOfWhatDoesNotVary) {
  parse(R"(
    %start = arith.muli %m, %n : i32
    %j = arith.addi %i, %start : i32
    %a = arith.remsi %j, %c3 : i32
    %moving = arith.muli %m, %i : i32
    %b = arith.remsi %moving, %c3 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 0, 1), 3);
  EXPECT_EQ(meet(1, 1, 1), 1);
}

TEST_F(RingSlots, ValuesThatVary) {
  parse(R"(
    %v = "test.any"() : () -> i32
    %a = arith.remsi %v, %c2 : i32
    %w = arith.addi %v, %c1 : i32
    %b = arith.remsi %w, %c2 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), 1); // different in the same iteration, unknown in others
  EXPECT_EQ(meet(0, 0, 1), 1);
}

// If values start below 0, their unsigned remainders are not those of the same counter.
TEST_F(RingSlots, UnsignedRemainders) {
  parse(R"(
    %ahead = arith.addi %i, %c1 : i32
    %behind = arith.subi %i, %c2 : i32
    %a = arith.remui %i, %c3 : i32
    %b = arith.remui %ahead, %c3 : i32
    %c = arith.remui %behind, %c3 : i32
    %of4 = arith.remui %i, %c4 : i32
    %behind_of4 = arith.remui %behind, %c4 : i32
    "test.use"(%a, %b, %c, %of4, %behind_of4) : (i32, i32, i32, i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), 2);
  EXPECT_EQ(meet(0, 2, 0), 0);
  EXPECT_EQ(meet(3, 4, 0), 2); // 2^32 is a multiple of 4
}

TEST_F(RingSlots, NarrowNumbersOverflow) {
  parse(R"(
    %narrow = arith.trunci %i : i32 to i8
    %wide = arith.extsi %narrow : i8 to i32
    %a = arith.remsi %wide, %c3 : i32
    %j = arith.addi %i, %c1 : i32
    %b = arith.remsi %j, %c3 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), 0);
}

// Indices that the analysis must not mistake for a ring with a period, or for another ring.
TEST_F(RingSlots, NoPeriod) {
  parse(R"(
    %mask = arith.andi %i, %c2 : i32
    %isnt = arith.cmpi ne, %i, %c3 : i32
    %fixed = arith.select %isnt, %c0, %i : i32
    %is = arith.cmpi eq, %i, %c3 : i32
    %twice = arith.muli %i, %c2 : i32
    %moving = arith.select %is, %c0, %twice : i32
    %sum = arith.addi %i, %m : i32
    %shifted = arith.cmpi eq, %sum, %c3 : i32
    %other = arith.select %shifted, %c0, %i : i32
    %small = arith.cmpi slt, %i, %c3 : i32
    %flat = arith.select %small, %c0, %i : i32
    "test.use"(%mask, %fixed, %moving, %other, %flat) : (i32, i32, i32, i32, i32) -> ())");
  for (unsigned index = 0; index < 5; ++index)
    EXPECT_EQ(meet(index, index, 1), 1) << index;
}

TEST_F(RingSlots, Quotients) {
  parse(R"(
    %triple = arith.muli %i, %c3 : i32
    %inexact = arith.divsi %triple, %c2 : i32
    %twice = arith.muli %i, %c2 : i32
    %of4 = arith.remsi %twice, %c4 : i32
    %modulo = arith.divsi %of4, %c2 : i32
    %sum = arith.addi %twice, %m : i32
    %half = arith.divsi %sum, %c2 : i32
    %exact = arith.divsi %twice, %c2 : i32
    "test.use"(%i, %inexact, %modulo, %half, %exact) : (i32, i32, i32, i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 1), 1);
  EXPECT_EQ(meet(2, 2, 1), 1);
  EXPECT_EQ(meet(3, 3, 1), 1);
  EXPECT_EQ(meet(0, 4, 0), 0);
  EXPECT_EQ(meet(0, 4, 1), std::nullopt);
}

TEST_F(RingSlots, UnknownDifference) {
  parse(R"(
    %c100 = arith.constant 100 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.addi %i, %m : i32
    %b = arith.addi %i, %n : i32
    %far = arith.addi %i, %c100 : i32
    %of128 = arith.remsi %i, %c128 : i32
    %far_of128 = arith.remsi %far, %c128 : i32
    %front = arith.addi %m, %c1 : i32
    "test.use"(%a, %b, %of128, %far_of128, %i) : (i32, i32, i32, i32, i32) -> ()
    "test.front"(%front) : (i32) -> ())");
  EXPECT_EQ(meet(0, 1, 5), 5);
  EXPECT_EQ(meet(3, 2, 0), 64); // the search ends there
  EXPECT_EQ(RingIndex::firstIterationAt(indicesInFront()[0], indices[4], true), 0);
}

// 1 ^ 1 is not 2.
TEST_F(RingSlots, ExclusiveOr) {
  parse(R"(
    %x = arith.xori %i, %c1 : i32
    "test.use"(%i, %x) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), 1);
}

TEST_F(RingSlots, WithoutAPeriod) {
  parse(R"(
    %c100 = arith.constant 100 : i32
    %far = arith.addi %i, %c100 : i32
    %even = arith.muli %i, %c2 : i32
    %odd = arith.addi %even, %c1 : i32
    "test.use"(%i, %far, %even, %odd) : (i32, i32, i32, i32) -> ())");
  EXPECT_EQ(meet(0, 0, 0), 0);
  EXPECT_EQ(meet(0, 0, 1), std::nullopt);
  EXPECT_EQ(meet(1, 0, 0), 100); // more iterations than the search covers
  EXPECT_EQ(meet(0, 1, 0), std::nullopt);
  EXPECT_EQ(meet(3, 2, 0), std::nullopt);
}

TEST_F(RingSlots, StridesThatDiffer) {
  parse(R"(
    %a = arith.remsi %i, %c4 : i32
    %twice = arith.muli %i, %c2 : i32
    %b = arith.remsi %twice, %c4 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 1), 1); // 2 % 4 == 6 % 4
}

TEST_F(RingSlots, SumsWithValuesThatVary) {
  parse(R"(
    %v = "test.any"() : () -> i32
    %a = arith.addi %i, %v : i32
    %b = arith.remsi %a, %c3 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 0, 0), 0);
  EXPECT_EQ(meet(0, 0, 1), 1);
  EXPECT_EQ(meet(1, 1, 1), 1);
}

TEST_F(RingSlots, IterationsThatMeetTheFront) {
  parse(R"(
    %c70 = arith.constant 70 : i32
    %c128 = arith.constant 128 : i32
    %one = arith.remsi %c3, %c2 : i32
    %of4 = arith.remsi %i, %c4 : i32
    %of128 = arith.remsi %i, %c128 : i32
    %next = arith.addi %i, %c1 : i32
    %even = arith.muli %i, %c2 : i32
    "test.use"(%of4, %of128, %next, %even) : (i32, i32, i32, i32) -> ()
    "test.front"(%c0, %c1, %one, %c70) : (i32, i32, i32, i32) -> ())");
  std::vector<RingIndex> front = indicesInFront();
  auto first = [&](unsigned before, unsigned later) {
    return RingIndex::firstIterationAt(front[before], indices[later], true);
  };
  EXPECT_EQ(first(2, 0), 1);  // 3 % 2
  EXPECT_EQ(first(3, 1), 64); // the search ends there
  EXPECT_EQ(first(0, 2), std::nullopt);
  EXPECT_EQ(first(1, 2), 0);
  EXPECT_EQ(first(1, 3), std::nullopt);
}

// The analysis must not follow all paths through the sums: there are 2^60 of them.
TEST_F(RingSlots, SumsOfSums) {
  std::string body = "%s0 = arith.addi %i, %i : i32\n";
  for (int i = 0; i < 60; ++i)
    body += llvm::formatv("%s{1} = arith.addi %s{0}, %s{0} : i32\n", i, i + 1).str();
  parse(body + R"("test.use"(%s60) : (i32) -> ())");
  EXPECT_EQ(meet(0, 0, 1), 1);
}
