//===- RingCountersTest.cpp - Slots that counters select, which loops carry --------------===//
#include "RingSlotsFixture.h"

using namespace mlir;
using namespace hocket;

namespace {
using RingCounters = RingSlotsFixture;
} // namespace

TEST_F(RingCounters, CarriedCounter) {
  parse(R"(
    %j = arith.addi %c, %c1 : i32
    %next = arith.remsi %j, %c3 : i32
    "test.use"(%c, %next) : (i32, i32) -> ()
    scf.yield %next : i32)",
        "%c = %c0");
  EXPECT_EQ(meet(0, 0, 1), 3);
  EXPECT_EQ(meet(1, 0, 0), 1);
  EXPECT_EQ(meet(0, 1, 0), 2);
}

TEST_F(RingCounters, CarriedCounterThatStartsAnew) {
  parse(R"(
    %j = arith.addi %c, %c1 : i32
    %end = arith.cmpi eq, %j, %c3 : i32
    %next = arith.select %end, %c0, %j : i32
    "test.use"(%c, %next) : (i32, i32) -> ()
    scf.yield %next : i32)",
        "%c = %m");
  EXPECT_EQ(meet(0, 0, 1), 3);
  EXPECT_EQ(meet(1, 0, 0), 1);
}

TEST_F(RingCounters, CounterThatFollowsAnother) {
  for (bool isBehind : {true, false}) {
    indices.clear();
    parse(R"(
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%slot = )" +
          std::string(isBehind ? "%c0" : "%c2") + R"(, %next = %c1) -> (i32, i32) : i32 {
        %j = arith.addi %next, %c1 : i32
        %after = arith.remsi %j, %c3 : i32
        "test.inner"(%slot, %next) : (i32, i32) -> ()
        scf.yield %next, %after : i32, i32
      }
    )");
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.inner")
        for (Value operand : op->getOperands())
          indices.push_back(RingIndex::of(operand, op->getParentOfType<scf::ForOp>()));
    });
    EXPECT_EQ(meet(0, 0, 1), isBehind ? 3 : 1);
    EXPECT_EQ(meet(0, 1, 0), isBehind ? 2 : 0);
    EXPECT_EQ(meet(1, 0, 0), isBehind ? 1 : 0);
  }
}

TEST_F(RingCounters, CarriedCounterThatStartsAnewInABranch) {
  parse(R"(
    %last = arith.cmpi eq, %c, %c2 : i32
    %next = scf.if %last -> i32 {
      scf.yield %c0 : i32
    } else {
      %j = arith.addi %c, %c1 : i32
      scf.yield %j : i32
    }
    "test.use"(%c, %next) : (i32, i32) -> ()
    scf.yield %next : i32)",
        "%c = %c0");
  EXPECT_EQ(meet(0, 0, 1), 3);
  EXPECT_EQ(meet(1, 0, 0), 1);
}

TEST_F(RingCounters, StartingAnewAtARemainder) {
  // With i = 2, which is 2 modulo 4, %a is 2; i + 6 would be 0.
  parse(R"(
    %c6 = arith.constant 6 : i32
    %c8 = arith.constant 8 : i32
    %sum = arith.addi %i, %c6 : i32
    %b = arith.remsi %sum, %c8 : i32
    %quarter = arith.remsi %i, %c4 : i32
    %is = arith.cmpi eq, %quarter, %c2 : i32
    %a = arith.select %is, %c0, %b : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 1), 4); // modulo 4 at best: a select that knew 8 would say 8
}

TEST_F(RingCounters, Toggles) {
  parse(R"(
    %next = arith.subi %c1, %c : i32
    %other = arith.xori %c, %c1 : i32
    "test.use"(%c, %next, %other) : (i32, i32, i32) -> ()
    scf.yield %next : i32)",
        "%c = %c0");
  EXPECT_EQ(meet(0, 0, 1), 2);
  EXPECT_EQ(meet(0, 1, 0), 1);
  EXPECT_EQ(meet(0, 2, 0), 1);
}

TEST_F(RingCounters, CounterWithAnUnknownStep) {
  parse(R"(
    %j = arith.addi %c, %m : i32
    %next = arith.remsi %j, %c2 : i32
    "test.use"(%c, %next) : (i32, i32) -> ()
    scf.yield %next : i32)",
        "%c = %c0");
  EXPECT_EQ(meet(0, 0, 1), 1);
  EXPECT_EQ(meet(0, 1, 0), 0);
}

TEST_F(RingCounters, CounterWithAStepThatGrows) {
  parse(R"(
    %a = arith.remsi %c, %c4 : i32
    "test.use"(%a) : (i32) -> ()
    %sum = arith.addi %c, %i : i32
    %next = arith.addi %sum, %c1 : i32
    scf.yield %next : i32)",
        "%c = %c0");
  EXPECT_EQ(meet(0, 0, 1), 1);
}

TEST_F(RingCounters, FollowerThatBeginsAnywhere) {
  parse(R"(
    "test.use"(%c, %i) : (i32, i32) -> ()
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32)",
        "%c = %m");
  EXPECT_EQ(meet(0, 1, 1), 1);
}

TEST_F(RingCounters, CounterWithAStepThatIsPartlyKnown) {
  parse(R"(
    %a = arith.remsi %c, %c4 : i32
    "test.use"(%a) : (i32) -> ()
    %step = arith.addi %m, %c1 : i32
    %next = arith.addi %c, %step : i32
    scf.yield %next : i32)",
        "%c = %c0");
  EXPECT_EQ(meet(0, 0, 1), 1);
}

TEST_F(RingCounters, StartingAnewAtOne) {
  parse(R"(
    "test.use"(%c) : (i32) -> ()
    %more = arith.addi %c, %c1 : i32
    %is = arith.cmpi eq, %more, %c4 : i32
    %next = arith.select %is, %c1, %more : i32
    scf.yield %next : i32)",
        "%c = %c1");
  EXPECT_EQ(meet(0, 0, 1), 3); // 1, 2, 3
}

TEST_F(RingCounters, CounterThatTheContinuedLoopHasNotCounted) {
  parseModule(R"(
    func.func @f(%middle: i32, %n: i32) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      scf.for %i = %c0 to %middle step %c2 : i32 {
      } {hk.series = 0 : i32}
      %r = scf.for %i = %middle to %n step %c1 iter_args(%c = %c0) -> i32 : i32 {
        "test.use"(%c, %i) : (i32, i32) -> ()
        %next = arith.addi %c, %c1 : i32
        scf.yield %next : i32
      } {hk.series = 0 : i32}
      return
    })");
  EXPECT_EQ(meet(0, 1, 1), 1);
}
