//===- RingCountersTest.cpp - Ring buffer slots selected by counters that loops carry ----===//
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
  // With i = 6, which is 2 modulo 4, %a is 0, but %b is 4. Therefore %a and %b are equal only modulo 4.
  parse(R"(
    %c6 = arith.constant 6 : i32
    %c8 = arith.constant 8 : i32
    %sum = arith.addi %i, %c6 : i32
    %b = arith.remsi %sum, %c8 : i32
    %quarter = arith.remsi %i, %c4 : i32
    %is = arith.cmpi eq, %quarter, %c2 : i32
    %a = arith.select %is, %c0, %b : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 1), 4); // with facts modulo 8, the result would be 8
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
  EXPECT_EQ(meet(0, 0, 1), 3); // the counter is 1, 2, 3, 1, ...
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

// The counter starts again past its end, not only at its end. It must not exceed the end by more than its step.
TEST_F(RingCounters, CounterThatStartsAnewPastItsEnd) {
  for (const char *start : {"%c0", "%c2", "%c3", "%m"}) {
    indices.clear();
    parse(R"(
      %j = arith.addi %c, %c1 : i32
      %goesOn = arith.cmpi slt, %j, %c3 : i32
      %next = arith.select %goesOn, %j, %c0 : i32
      "test.use"(%c, %next) : (i32, i32) -> ()
      scf.yield %next : i32)",
          std::string("%c = ") + start);
    bool isKnown = start != std::string("%c3") && start != std::string("%m");
    EXPECT_EQ(meet(0, 0, 1), isKnown ? 3 : 1) << start;
    EXPECT_EQ(indices[0].isKnown(), isKnown) << start;
  }
}

TEST_F(RingCounters, CounterThatTakesTwoSteps) {
  parse(R"(
    %j = arith.addi %c, %c2 : i32
    %isPast = arith.cmpi sge, %j, %c3 : i32
    %next = arith.select %isPast, %c0, %j : i32
    "test.use"(%c, %next) : (i32, i32) -> ()
    scf.yield %next : i32)",
        "%c = %c0");
  EXPECT_FALSE(indices[0].isKnown()) << "0, 2, 0";
}

TEST_F(RingCounters, CounterThatLosesItsEnd) {
  parse(R"(
    %j = arith.addi %c, %m : i32
    %isPast = arith.cmpi sge, %j, %c3 : i32
    %less = arith.subi %j, %c3 : i32
    %next = arith.select %isPast, %less, %j : i32
    "test.use"(%j, %next) : (i32, i32) -> ()
    scf.yield %c : i32)",
        "%c = %c0");
  EXPECT_EQ(meet(0, 1, 0), 0) << "the same modulo 3";
}

TEST_F(RingCounters, NumbersThatAlternate) {
  for (bool isInOrder : {true, false}) {
    indices.clear();
    parse(R"(
      %r:4 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %c0, %b = )" +
          std::string(isInOrder ? "%c1, %d = %c2, %e = %c3" : "%c2, %d = %c1, %e = %c3") +
          R"() -> (i32, i32, i32, i32) : i32 {
        "test.inner"(%a, %b) : (i32, i32) -> ()
        scf.yield %b, %d, %e, %a : i32, i32, i32, i32
      })");
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.inner")
        for (Value operand : op->getOperands())
          indices.push_back(RingIndex::of(operand, op->getParentOfType<scf::ForOp>()));
    });
    EXPECT_EQ(meet(0, 0, 1), isInOrder ? 4 : 1);
    EXPECT_EQ(meet(1, 0, 0), isInOrder ? 1 : 0);
  }
}

// The value of a counter after its loop, and the trip count.
TEST_F(RingCounters, CounterAfterItsLoop) {
  parse(R"(
    %j = arith.addi %c, %c1 : i32
    %next = arith.remsi %j, %c3 : i32
    scf.yield %next : i32)",
        "%c = %c1");
  RingIndex left = RingIndex::of(loop.getResult(0), {}), trips = RingIndex::ofTrips(loop);
  RingIndex one = RingIndex::ofConstant(1);
  EXPECT_FALSE(RingIndex::firstIterationAt(trips, left, /*sameRun=*/true)) << "one more than there were iterations";
  EXPECT_TRUE(RingIndex::firstIterationAt(trips += one, left, /*sameRun=*/true));
  EXPECT_FALSE(RingIndex::firstIterationAt(RingIndex::ofConstant(0), left.withTrips(loop, 3), /*sameRun=*/true));
  EXPECT_TRUE(RingIndex::firstIterationAt(RingIndex::ofConstant(4), left.withTrips(loop, 3), /*sameRun=*/true));
}

/// Python's `while`, and loops with `break`: the arguments of the second region are the values that the first one
/// passes.
TEST_F(RingCounters, CounterOfAWhile) {
  parseModule(R"(
    func.func @f(%n: i32, %m: i32) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %r:3 = scf.while (%a = %c0, %b = %m) : (i32, i32) -> (i32, i32, i32) {
        %more = arith.cmpi slt, %a, %n : i32
        %changed = "test.any"(%b) : (i32) -> i32
        scf.condition(%more) %b, %a, %changed : i32, i32, i32
      } do {
      ^bb0(%other: i32, %i: i32, %unknown: i32):
        %slot = arith.remsi %i, %c3 : i32
        %ahead = arith.addi %i, %c2 : i32
        %next = arith.remsi %ahead, %c3 : i32
        "test.inner"(%slot, %next, %other, %unknown) : (i32, i32, i32, i32) -> ()
        %j = arith.addi %i, %c1 : i32
        scf.yield %j, %next : i32, i32
      }
      return
    }
  )");
  module->walk([&](Operation *op) {
    if (op->getName().getStringRef() == "test.inner")
      for (Value operand : op->getOperands())
        indices.push_back(RingIndex::of(operand, op->getParentOfType<LoopLikeOpInterface>()));
  });
  EXPECT_EQ(meet(0, 0, 1), 3);
  EXPECT_EQ(meet(1, 0, 0), 2);
  EXPECT_EQ(meet(0, 1, 0), 1);
  // An index that is not a counter may select any slot in another iteration. Within one iteration, it selects one slot.
  for (unsigned index : {2, 3}) {
    EXPECT_FALSE(indices[index].isFixed());
    EXPECT_EQ(meet(index, index, 0), 0);
    EXPECT_EQ(meet(index, index, 1), 1);
  }
}
