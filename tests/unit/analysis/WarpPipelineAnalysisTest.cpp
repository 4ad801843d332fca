//===- WarpPipelineAnalysisTest.cpp - Ring slots, and among which warps tiles move ----------------------===//
#include "analysis/RingSlots.h"
#include "analysis/warp_pipeline/WarpExchange.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

namespace {
/// A loop over i, from 0 or %lower, with carried variables; what it hands to "test.use" are the indices in question.
class RingSlotsTest : public ::testing::Test {
protected:
  RingSlotsTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, hk::HkDialect, hk_amd::HkAmdDialect>();
    context.allowUnregisteredDialects();
  }

  void parse(const std::string &body, const std::string &carried = "", const std::string &lower = "%c0") {
    std::string text = R"(
      func.func @f(%lower: i32, %n: i32, %m: i32) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c2 = arith.constant 2 : i32
        %c3 = arith.constant 3 : i32
        %c4 = arith.constant 4 : i32
        %c64 = arith.constant 64 : i32
    )";
    text += carried.empty()
                ? "scf.for %i = " + lower + " to %n step %c1 : i32 {"
                : "%r = scf.for %i = " + lower + " to %n step %c1 iter_args(" + carried + ") -> i32 : i32 {";
    parseModule(text + body + "} return }");
  }

  /// The last loop is the one whose indices are meant.
  void parseModule(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    module->walk([&](scf::ForOp op) { loop = op; });
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.use")
        for (Value operand : op->getOperands())
          indices.push_back(RingIndex::of(operand, loop));
    });
  }

  /// What is handed to "test.front", as an index that is used once.
  std::vector<RingIndex> indicesInFront() {
    std::vector<RingIndex> front;
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.front")
        for (Value operand : op->getOperands())
          front.push_back(RingIndex::of(operand, {}));
    });
    return front;
  }

  std::optional<int64_t> meet(unsigned earlier, unsigned later, int64_t from) {
    return RingIndex::firstMeeting(indices[earlier], indices[later], from);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  scf::ForOp loop;
  std::vector<RingIndex> indices;
};
} // namespace

TEST_F(RingSlotsTest, InductionVariableModuloThree) {
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

TEST_F(RingSlotsTest, SlotsSelectedInFrontOfTheLoop) {
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
  EXPECT_EQ(first(1, 0, false), 1);     // numbers are the same in all runs
}

TEST_F(RingSlotsTest, SlotsSelectedInFrontRelativeToTheLowerBound) {
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

TEST_F(RingSlotsTest, UnknownLowerBoundCancels) {
  parse(R"(
    %a = arith.remsi %i, %c2 : i32
    %j = arith.addi %i, %c1 : i32
    %b = arith.andi %j, %c1 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())",
        "", "%lower");
  EXPECT_EQ(meet(0, 1, 0), 1);
  EXPECT_EQ(meet(1, 0, 0), 1);
}

TEST_F(RingSlotsTest, ModuliThatDiffer) {
  parse(R"(
    %a = arith.remsi %i, %c4 : i32
    %b = arith.remsi %i, %c3 : i32
    %j = arith.addi %i, %c1 : i32
    %c = arith.remsi %j, %c2 : i32
    "test.use"(%a, %b, %c) : (i32, i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), 0); // nothing in common: anything may be
  EXPECT_EQ(meet(0, 2, 0), 1); // both are known modulo 2
}

TEST_F(RingSlotsTest, ConstantsAndStrides) {
  parse(R"(
    %k = arith.muli %i, %c64 : i32
    %d = arith.divsi %k, %c64 : i32
    %a = arith.remsi %d, %c2 : i32
    "test.use"(%c0, %c1, %a, %i) : (i32, i32, i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), std::nullopt);
  EXPECT_EQ(meet(0, 0, 4), 4);
  EXPECT_EQ(meet(2, 2, 1), 2);
  EXPECT_EQ(meet(3, 3, 1), std::nullopt); // i itself never comes again
}

TEST_F(RingSlotsTest, CarriedCounter) {
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

TEST_F(RingSlotsTest, CarriedCounterThatStartsAnew) {
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

TEST_F(RingSlotsTest, CounterThatFollowsAnother) {
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

TEST_F(RingSlotsTest, CarriedCounterThatStartsAnewInABranch) {
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

TEST_F(RingSlotsTest, StartingAnewAtARemainder) {
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

TEST_F(RingSlotsTest, Toggles) {
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

TEST_F(RingSlotsTest, ComputedInTheLoopOfWhatDoesNotVary) {
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

TEST_F(RingSlotsTest, ValuesThatVary) {
  parse(R"(
    %v = "test.any"() : () -> i32
    %a = arith.remsi %v, %c2 : i32
    %w = arith.addi %v, %c1 : i32
    %b = arith.remsi %w, %c2 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), 1); // different within an iteration, unknown beyond
  EXPECT_EQ(meet(0, 0, 1), 1);
}

TEST_F(RingSlotsTest, CounterWithAnUnknownStep) {
  parse(R"(
    %j = arith.addi %c, %m : i32
    %next = arith.remsi %j, %c2 : i32
    "test.use"(%c, %next) : (i32, i32) -> ()
    scf.yield %next : i32)",
        "%c = %c0");
  EXPECT_EQ(meet(0, 0, 1), 1);
  EXPECT_EQ(meet(0, 1, 0), 0);
}

// As an unsigned number, what is below 0 at first is no remainder of the same counter.
TEST_F(RingSlotsTest, UnsignedRemainders) {
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

TEST_F(RingSlotsTest, NarrowNumbersOverflow) {
  parse(R"(
    %narrow = arith.trunci %i : i32 to i8
    %wide = arith.extsi %narrow : i8 to i32
    %a = arith.remsi %wide, %c3 : i32
    %j = arith.addi %i, %c1 : i32
    %b = arith.remsi %j, %c3 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), 0);
}

// What the analysis must not take for a ring with a period, or for another one.
TEST_F(RingSlotsTest, NoPeriod) {
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

TEST_F(RingSlotsTest, CounterWithAStepThatGrows) {
  parse(R"(
    %a = arith.remsi %c, %c4 : i32
    "test.use"(%a) : (i32) -> ()
    %sum = arith.addi %c, %i : i32
    %next = arith.addi %sum, %c1 : i32
    scf.yield %next : i32)",
        "%c = %c0");
  EXPECT_EQ(meet(0, 0, 1), 1);
}

TEST_F(RingSlotsTest, FollowerThatBeginsAnywhere) {
  parse(R"(
    "test.use"(%c, %i) : (i32, i32) -> ()
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32)",
        "%c = %m");
  EXPECT_EQ(meet(0, 1, 1), 1);
}

TEST_F(RingSlotsTest, Quotients) {
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

TEST_F(RingSlotsTest, UnknownDifference) {
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
  EXPECT_EQ(meet(3, 2, 0), 64); // not searched so far
  EXPECT_EQ(RingIndex::firstIterationAt(indicesInFront()[0], indices[4], true), 0);
}

TEST_F(RingSlotsTest, CounterWithAStepThatIsPartlyKnown) {
  parse(R"(
    %a = arith.remsi %c, %c4 : i32
    "test.use"(%a) : (i32) -> ()
    %step = arith.addi %m, %c1 : i32
    %next = arith.addi %c, %step : i32
    scf.yield %next : i32)",
        "%c = %c0");
  EXPECT_EQ(meet(0, 0, 1), 1);
}

TEST_F(RingSlotsTest, StartingAnewAtOne) {
  parse(R"(
    "test.use"(%c) : (i32) -> ()
    %more = arith.addi %c, %c1 : i32
    %is = arith.cmpi eq, %more, %c4 : i32
    %next = arith.select %is, %c1, %more : i32
    scf.yield %next : i32)",
        "%c = %c1");
  EXPECT_EQ(meet(0, 0, 1), 3); // 1, 2, 3
}

// 1 ^ 1 is not 2.
TEST_F(RingSlotsTest, ExclusiveOr) {
  parse(R"(
    %x = arith.xori %i, %c1 : i32
    "test.use"(%i, %x) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 0), 1);
}

TEST_F(RingSlotsTest, WithoutAPeriod) {
  parse(R"(
    %c100 = arith.constant 100 : i32
    %far = arith.addi %i, %c100 : i32
    %even = arith.muli %i, %c2 : i32
    %odd = arith.addi %even, %c1 : i32
    "test.use"(%i, %far, %even, %odd) : (i32, i32, i32, i32) -> ())");
  EXPECT_EQ(meet(0, 0, 0), 0);
  EXPECT_EQ(meet(0, 0, 1), std::nullopt);
  EXPECT_EQ(meet(1, 0, 0), 100); // beyond what is searched
  EXPECT_EQ(meet(0, 1, 0), std::nullopt);
  EXPECT_EQ(meet(3, 2, 0), std::nullopt);
}

TEST_F(RingSlotsTest, StridesThatDiffer) {
  parse(R"(
    %a = arith.remsi %i, %c4 : i32
    %twice = arith.muli %i, %c2 : i32
    %b = arith.remsi %twice, %c4 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 1, 1), 1); // 2 % 4 == 6 % 4
}

TEST_F(RingSlotsTest, SumsWithValuesThatVary) {
  parse(R"(
    %v = "test.any"() : () -> i32
    %a = arith.addi %i, %v : i32
    %b = arith.remsi %a, %c3 : i32
    "test.use"(%a, %b) : (i32, i32) -> ())");
  EXPECT_EQ(meet(0, 0, 0), 0);
  EXPECT_EQ(meet(0, 0, 1), 1);
  EXPECT_EQ(meet(1, 1, 1), 1);
}

TEST_F(RingSlotsTest, IterationsThatMeetTheFront) {
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
  EXPECT_EQ(first(3, 1), 64); // not searched so far
  EXPECT_EQ(first(0, 2), std::nullopt);
  EXPECT_EQ(first(1, 2), 0);
  EXPECT_EQ(first(1, 3), std::nullopt);
}

// Followed along all ways, this would not end.
TEST_F(RingSlotsTest, SumsOfSums) {
  std::string body = "%s0 = arith.addi %i, %i : i32\n";
  for (int i = 0; i < 60; ++i)
    body += llvm::formatv("%s{1} = arith.addi %s{0}, %s{0} : i32\n", i, i + 1).str();
  parse(body + R"("test.use"(%s60) : (i32) -> ())");
  EXPECT_EQ(meet(0, 0, 1), 1);
}

TEST_F(RingSlotsTest, CounterThatTheContinuedLoopHasNotCounted) {
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

namespace {
struct WarpExchange : ::testing::Test {
  WarpExchange() { context.loadDialect<hk::HkDialect>(); }

  RankedTensorType layout(const std::string &lanes, const std::string &warps, const std::string &registers = "[]") {
    std::string text = "tensor<16xf32, #hk.linear<reg = " + registers + ", lane = " + lanes + ", warp = " + warps +
                       ", block = [], shape = [16]>>";
    return cast<RankedTensorType>(parseType(text, &context));
  }
  MLIRContext context;
};
} // namespace

TEST_F(WarpExchange, FourWarps) {
  RankedTensorType rows = layout("[[1], [2]]", "[[4], [8]]"), mixed = layout("[[2], [3]]", "[[4], [8]]");
  RankedTensorType turned = layout("[[4], [8]]", "[[1], [2]]"), exchanged = layout("[[1], [2]]", "[[8], [4]]");
  RankedTensorType copied = layout("[[1], [2], [8]]", "[[4], [0]]");
  EXPECT_EQ(findExchange(rows, rows), Exchange::WithinWarp);
  EXPECT_EQ(findExchange(rows, mixed), Exchange::WithinWarp);
  EXPECT_EQ(findExchange(rows, turned), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(rows, exchanged), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(copied, copied), Exchange::WithinGroup); // two warps hold the same
}

/// The rows of the banner of WarpExchange.h.
TEST_F(WarpExchange, EightWarps) {
  RankedTensorType rows = layout("[[1]]", "[[2], [4], [8]]"), registers = layout("[]", "[[2], [4], [8]]", "[[1]]");
  RankedTensorType halves = layout("[[4]]", "[[1], [2], [8]]"), all = layout("[[8]]", "[[1], [2], [4]]");
  EXPECT_EQ(findExchange(rows, registers), Exchange::WithinWarp);
  EXPECT_EQ(findExchange(rows, halves), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(halves, rows), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(rows, all), Exchange::BetweenGroups);
  EXPECT_EQ(findExchange(halves, all), Exchange::BetweenGroups);
}

/// The groups have exchanged their halves; or both groups hold the same, or the warps of each.
TEST_F(WarpExchange, GroupsThatMeet) {
  RankedTensorType rows = layout("[[1]]", "[[2], [4], [8]]"), turned = layout("[[1]]", "[[8], [4], [2]]");
  RankedTensorType twice = layout("[[1], [8]]", "[[2], [4], [0]]"), pairs = layout("[[1], [4]]", "[[0], [2], [8]]");
  EXPECT_EQ(findExchange(rows, turned), Exchange::BetweenGroups);
  EXPECT_EQ(findExchange(twice, twice), Exchange::BetweenGroups);
  EXPECT_EQ(findExchange(pairs, pairs), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(rows, pairs), Exchange::WithinGroup);
}

/// The bases of the warps are the same, but not what they are relative to.
TEST_F(WarpExchange, SkewedTiles) {
  RankedTensorType rows = layout("[[1]]", "[[2], [4], [8]]"), skewed = layout("[[3]]", "[[2], [4], [8]]");
  RankedTensorType registers = layout("[]", "[[2], [4], [8]]", "[[1]]"),
                   both = layout("[]", "[[2], [4], [8]]", "[[3]]");
  EXPECT_EQ(findExchange(rows, skewed), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(skewed, rows), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(registers, both), Exchange::WithinGroup);
  EXPECT_EQ(findExchange(skewed, skewed), Exchange::WithinWarp);
}

TEST_F(WarpExchange, NothingKnown) {
  RankedTensorType rows = layout("[[1]]", "[[2], [4], [8]]");
  auto bare = RankedTensorType::get({16}, rows.getElementType());
  EXPECT_EQ(findExchange(rows, bare), Exchange::BetweenGroups);
}
