//===- WarpUniformityTest.cpp - Scalars that may differ between the warps of a block -----===//
#include "analysis/warp_pipeline/WarpUniformity.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

namespace {
class WarpUniformityTest : public ::testing::Test {
protected:
  WarpUniformityTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, hk::HkDialect>();
    context.allowUnregisteredDialects();
  }

  /// Returns the reason why the operand of "test.use" may differ; empty if it does not.
  std::string difference(const std::string &body) {
    module = parseSourceString<ModuleOp>(R"(
      #row = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
      !tile = tensor<128xf32, #row>
      !ptr = !hk.ptr<i32>
      module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
      func.func @kernel(%p: !ptr, %q: !ptr, %n: i32, %is: i1, %x: !tile) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
    )" + body + " return } }",
                                         &context);
    if (!module)
      return "does not parse";
    Value used;
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.use")
        used = op->getOperand(0);
    });
    return WarpUniformity(*module->getOps<func::FuncOp>().begin()).differenceIn(used).reason;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr char kVolatile[] = "a volatile load, which each warp executes separately";
constexpr char kWritten[] = "a load from an array that the kernel writes, which each warp executes separately";
constexpr char kOrder[] = "a reduction by a function that lanes apply in different orders";
} // namespace

TEST_F(WarpUniformityTest, ArgumentsAndWhatIsComputedFromThem) {
  EXPECT_EQ(difference(R"(
    %id = hk.program_id 0
    %sum = arith.addi %n, %id : i32
    %v = arith.select %is, %sum, %c1 : i32
    "test.use"(%v) : (i32) -> ())"),
            "");
}

TEST_F(WarpUniformityTest, LoadFromWhatNobodyWrites) {
  EXPECT_EQ(difference(R"(
    %v = hk.load %p : !ptr -> i32
    hk.store %q, %n : !ptr, i32
    "test.use"(%v) : (i32) -> ())"),
            "");
}

TEST_F(WarpUniformityTest, LoadFromWhatIsWritten) {
  EXPECT_EQ(difference(R"(
    %v = hk.load %p : !ptr -> i32
    %r = hk.addptr %p, %n : !ptr, i32
    hk.store %r, %n : !ptr, i32
    "test.use"(%v) : (i32) -> ())"),
            kWritten);
}

// The pointer may point into any array.
TEST_F(WarpUniformityTest, StoreThroughALoadedPointer) {
  EXPECT_EQ(difference(R"(
    %address = arith.extsi %n : i32 to i64
    %r = hk.int_to_ptr %address : i64 -> !ptr
    hk.store %r, %n : !ptr, i32
    %v = hk.load %p : !ptr -> i32
    "test.use"(%v) : (i32) -> ())"),
            kWritten);
}

TEST_F(WarpUniformityTest, VolatileLoad) {
  EXPECT_EQ(difference(R"(
    %v = hk.load %p volatile : !ptr -> i32
    %w = arith.addi %v, %n : i32
    "test.use"(%w) : (i32) -> ())"),
            kVolatile);
}

TEST_F(WarpUniformityTest, AtomicIsDoneOnce) {
  EXPECT_EQ(difference(R"(
    %v = hk.atomic_rmw add, %p, %n : !ptr, i32
    "test.use"(%v) : (i32) -> ())"),
            "");
}

TEST_F(WarpUniformityTest, Reductions) {
  auto reduce = [](const std::string &combine) {
    return R"(%v = hk.reduce %x axis = 0 {
      ^bb0(%a: f32, %b: f32):
    )" + combine +
           R"(
      hk.combine.return %c : f32
    } : (!tile) -> f32
    "test.use"(%v) : (f32) -> ())";
  };
  EXPECT_EQ(difference(reduce("%c = arith.addf %a, %b : f32")), "");
  EXPECT_EQ(difference(reduce("%c = arith.subf %a, %b : f32")), kOrder);
  EXPECT_EQ(difference(reduce("%d = arith.addf %a, %b : f32\n %c = arith.addf %d, %d : f32")), kOrder);
}

TEST_F(WarpUniformityTest, WhatDecidesCounts) {
  EXPECT_EQ(difference(R"(
    %v = hk.load %p volatile : !ptr -> i32
    %less = arith.cmpi slt, %v, %n : i32
    %w = scf.if %less -> i32 { scf.yield %c0 : i32 } else { scf.yield %c1 : i32 }
    "test.use"(%w) : (i32) -> ())"),
            kVolatile);
}

// The bound of the loop is uniform, the carried value is not.
TEST_F(WarpUniformityTest, VariablesOfLoops) {
  const std::string loop = R"(
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> i32 : i32 {
      %v = hk.load %p volatile : !ptr -> i32
      %next = arith.addi %acc, %v : i32
  )";
  EXPECT_EQ(difference(loop + R"("test.use"(%i) : (i32) -> ()
      scf.yield %next : i32 })"),
            "");
  EXPECT_EQ(difference(loop + R"("test.use"(%acc) : (i32) -> ()
      scf.yield %next : i32 })"),
            kVolatile);
  EXPECT_EQ(difference(loop + R"(scf.yield %next : i32 } "test.use"(%sum) : (i32) -> ())"), kVolatile);
}

TEST_F(WarpUniformityTest, BoundOfTheLoopAround) {
  EXPECT_EQ(difference(R"(
    %v = hk.load %p volatile : !ptr -> i32
    scf.for %i = %c0 to %v step %c1 : i32 {
      "test.use"(%i) : (i32) -> ()
    })"),
            kVolatile);
}
