//===- AxisInfoFlowTest.cpp - AxisInfo through loops, branches, pointers and views -----===//
//
// AxisInfoTest.cpp has random arithmetic. Here tests query operations named by `at` in small functions.
//
//===------------------------------------------------------------------------------===//
#include "analysis/axis/AxisInfo.h"

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

namespace {

class AxisInfoFlow : public testing::Test {
protected:
  AxisInfoFlow() { context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, hk::HkDialect>(); }

  /// Analyzes a function with this body. %p and %q are pointers to f32, %p aligned to 64 bytes and %q to 16; %m is a
  /// multiple of 8, %n any number, %yes a condition.
  void analyze(const std::string &body) {
    module = parseSourceString<ModuleOp>(R"(
      #row = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
      #tile = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
      #turned = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
      func.func @f(%p: !hk.ptr<f32> {hk.divisibility = 64 : i32}, %q: !hk.ptr<f32> {hk.divisibility = 16 : i32},
                   %m: i32 {hk.divisibility = 8 : i32}, %n: i32, %yes: i1) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c3 = arith.constant 3 : i32
        %c4 = arith.constant 4 : i32
        %c16 = arith.constant 16 : i32
        %c32 = arith.constant 32 : i32
    )" + body + "return } ",
                                         &context);
    ASSERT_TRUE(module);
    analysis.emplace(*module->getOps<func::FuncOp>().begin());
  }

  /// Returns the facts of the first result of the operation called `name`.
  AxisInfo at(StringRef name) {
    Operation *found = nullptr;
    module->walk([&](Operation *op) {
      if (op->getAttrOfType<StringAttr>("at") == StringAttr::get(&context, name))
        found = op;
    });
    EXPECT_TRUE(found) << name.str();
    return found ? analysis->get(found->getResult(0)) : AxisInfo();
  }
  int64_t divisibility(StringRef name) { return at(name).dims[0].divisibility; }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::optional<AxisInfoAnalysis> analysis;
};

} // namespace

TEST_F(AxisInfoFlow, PointersMoveByWholeElements) {
  analyze(R"(
    %far = hk.addptr %p, %c16 {at = "by 16"} : !hk.ptr<f32>, i32
    %near = hk.addptr %p, %c4 {at = "by 4"} : !hk.ptr<f32>, i32
    %odd = hk.addptr %p, %n {at = "by any"} : !hk.ptr<f32>, i32
  )");
  EXPECT_EQ(divisibility("by 16"), 64);
  EXPECT_EQ(divisibility("by 4"), 16);
  EXPECT_EQ(divisibility("by any"), 4);
}

TEST_F(AxisInfoFlow, ALoopKeepsWhatEachIterationKeeps) {
  analyze(R"(
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %p) -> (!hk.ptr<f32>, !hk.ptr<f32>) : i32 {
      %x = hk.addptr %a, %c0 {at = "a"} : !hk.ptr<f32>, i32
      %y = hk.addptr %b, %c0 {at = "b"} : !hk.ptr<f32>, i32
      %next_a = hk.addptr %a, %c32 : !hk.ptr<f32>, i32
      %next_b = hk.addptr %b, %c4 : !hk.ptr<f32>, i32
      scf.yield %next_a, %next_b : !hk.ptr<f32>, !hk.ptr<f32>
    }
    %after = hk.addptr %r#1, %c0 {at = "after"} : !hk.ptr<f32>, i32
  )");
  EXPECT_EQ(divisibility("a"), 64);
  EXPECT_EQ(divisibility("b"), 16);
  EXPECT_EQ(divisibility("after"), 16);
}

TEST_F(AxisInfoFlow, CarriedValuesThatChangePlacesShareTheirFacts) {
  analyze(R"(
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q) -> (!hk.ptr<f32>, !hk.ptr<f32>) : i32 {
      %x = hk.addptr %a, %c0 {at = "a"} : !hk.ptr<f32>, i32
      scf.yield %b, %a : !hk.ptr<f32>, !hk.ptr<f32>
    }
  )");
  EXPECT_EQ(divisibility("a"), 16);
}

/// The facts of an inner loop in the outer loop's first iteration do not hold in the second.
TEST_F(AxisInfoFlow, AnInnerLoopIsFollowedAgain) {
  analyze(R"(
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p) -> !hk.ptr<f32> : i32 {
      %s = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> !hk.ptr<f32> : i32 {
        %x = hk.addptr %b, %c0 {at = "inner"} : !hk.ptr<f32>, i32
        scf.yield %b : !hk.ptr<f32>
      }
      %next = hk.addptr %s, %c4 : !hk.ptr<f32>, i32
      scf.yield %next : !hk.ptr<f32>
    }
  )");
  EXPECT_EQ(divisibility("inner"), 16);
}

TEST_F(AxisInfoFlow, InductionVariablesCountFromTheLowerBoundInSteps) {
  analyze(R"(
    scf.for %i = %c0 to %n step %c16 : i32 {
      %x = arith.muli %i, %c1 {at = "from 0 by 16"} : i32
    }
    scf.for %i = %m to %n step %c16 : i32 {
      %x = arith.muli %i, %c1 {at = "from a multiple of 8 by 16"} : i32
    }
    scf.for %i = %c16 to %n step %c3 : i32 {
      %x = arith.muli %i, %c1 {at = "from 16 by 3"} : i32
    }
  )");
  EXPECT_EQ(divisibility("from 0 by 16"), 16);
  EXPECT_TRUE(at("from 0 by 16").nonNegative);
  EXPECT_EQ(divisibility("from a multiple of 8 by 16"), 8);
  EXPECT_FALSE(at("from a multiple of 8 by 16").nonNegative);
  EXPECT_EQ(divisibility("from 16 by 3"), 1);
}

TEST_F(AxisInfoFlow, AWhileLoopKeepsWhatEachTurnKeeps) {
  analyze(R"(
    %r = scf.while (%a = %p) : (!hk.ptr<f32>) -> !hk.ptr<f32> {
      %x = hk.addptr %a, %c0 {at = "before"} : !hk.ptr<f32>, i32
      scf.condition(%yes) %a : !hk.ptr<f32>
    } do {
    ^bb0(%b: !hk.ptr<f32>):
      %next = hk.addptr %b, %c4 {at = "next"} : !hk.ptr<f32>, i32
      scf.yield %next : !hk.ptr<f32>
    }
  )");
  EXPECT_EQ(divisibility("before"), 16);
  EXPECT_EQ(divisibility("next"), 16);
}

TEST_F(AxisInfoFlow, ABranchGivesWhatBothSidesHave) {
  analyze(R"(
    %either = scf.if %yes -> !hk.ptr<f32> {
      scf.yield %p : !hk.ptr<f32>
    } else {
      scf.yield %q : !hk.ptr<f32>
    }
    %x = hk.addptr %either, %c0 {at = "either"} : !hk.ptr<f32>, i32
  )");
  EXPECT_EQ(divisibility("either"), 16);
}

/// The address of an element of a tile, base + row * 16 + column, as kernels compute it.
TEST_F(AxisInfoFlow, RowsOfATileAreContiguous) {
  analyze(R"(
    %row = hk.arange 0 to 16 : tensor<16xi32, #hk.slice<dim = 1, parent = #tile>>
    %column = hk.arange 0 to 32 : tensor<32xi32, #hk.slice<dim = 0, parent = #tile>>
    %rows = hk.expand_dims %row axis = 1 : tensor<16xi32, #hk.slice<dim = 1, parent = #tile>> -> tensor<16x1xi32, #tile>
    %columns = hk.expand_dims %column axis = 0 : tensor<32xi32, #hk.slice<dim = 0, parent = #tile>> -> tensor<1x32xi32, #tile>
    %stride = arith.constant dense<32> : tensor<16x1xi32, #tile>
    %starts = arith.muli %rows, %stride : tensor<16x1xi32, #tile>
    %a = hk.broadcast %starts : tensor<16x1xi32, #tile> -> tensor<16x32xi32, #tile>
    %b = hk.broadcast %columns : tensor<1x32xi32, #tile> -> tensor<16x32xi32, #tile>
    %offsets = arith.addi %a, %b {at = "offsets"} : tensor<16x32xi32, #tile>
    %turned = hk.permute %offsets [1, 0] {at = "turned"} : tensor<16x32xi32, #tile> -> tensor<32x16xi32, #turned>
    %base = hk.splat %p : !hk.ptr<f32> -> tensor<16x32x!hk.ptr<f32>, #tile>
    %pointers = hk.addptr %base, %offsets {at = "pointers"} : tensor<16x32x!hk.ptr<f32>, #tile>, tensor<16x32xi32, #tile>
  )");
  EXPECT_EQ(at("offsets").dims[1].contiguity, 32);
  EXPECT_EQ(at("offsets").dims[0].contiguity, 1);
  EXPECT_EQ(at("turned").dims[0], at("offsets").dims[1]);
  EXPECT_EQ(at("turned").dims[1], at("offsets").dims[0]);
  EXPECT_EQ(at("pointers").dims[1].divisibility, 64);
  AccessShape access = chooseAccess(at("pointers"), nullptr, 32, 128);
  EXPECT_EQ(access.dim, 1u);
  EXPECT_EQ(access.width, 4);
}

/// A user's promise holds in addition to derived facts.
TEST_F(AxisInfoFlow, PromisesAreBelieved) {
  analyze(R"(
    %some = arith.addi %n, %c1 {at = "promised", hk.divisibility = 32 : i32} : i32
    %more = arith.muli %some, %c4 {at = "times 4"} : i32
  )");
  EXPECT_EQ(divisibility("promised"), 32);
  EXPECT_EQ(divisibility("times 4"), 128);
}
