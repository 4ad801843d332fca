//===- MemoryLivenessTest.cpp - Live intervals of buffers and scratch, in small functions -===//
//
// Operations of the texts that an expectation refers to have a name, `at`. An interval is written as the names of the
// first and the last operation in it.
//
//===------------------------------------------------------------------------------===//
#include "analysis/memory/MemoryLiveness.h"

#include "dialect/hk_amd/HkAmdDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

namespace hocket {
static void PrintTo(const Interval &interval, std::ostream *os) {
  *os << "[" << interval.begin << ", " << interval.end << ")";
}
} // namespace hocket

namespace {

class MemoryLivenessTest : public testing::Test {
protected:
  MemoryLivenessTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, hk::HkDialect, hk_amd::HkAmdDialect>();
  }

  /// Returns the live intervals of a function with this body. %x is a tile and %p pointers for one; %n is a number,
  /// %yes a condition.
  const MemoryLiveness &analyze(const std::string &body) {
    module = parseSourceString<ModuleOp>(R"(
      #rows = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
      #other = #hk.blocked<size_per_thread = [2], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
      #shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
      !tile = tensor<1024xf32, #rows>
      !smem = !hk.memdesc<1024xf32, #shared>
      !ring = !hk.memdesc<2x1024xf32, #shared>
      module attributes {hk.num_warps = 8 : i32, hk.target = "gfx942"} {
        func.func @f(%x: !tile, %p: tensor<1024x!hk.ptr<f32>, #rows>, %n: i32, %yes: i1) {
          %c0 = arith.constant 0 : i32
          %c1 = arith.constant 1 : i32
    )" + body + "return } }",
                                         &context);
    EXPECT_TRUE(module);
    int64_t next = 0;
    function()->walk<WalkOrder::PreOrder>([&](Operation *op) { begin[op] = next++; });
    liveness.emplace(function());
    return *liveness;
  }

  func::FuncOp function() { return *module->getOps<func::FuncOp>().begin(); }

  Operation *named(StringRef name) {
    Operation *found = nullptr;
    module->walk([&](Operation *op) {
      if (op->getAttrOfType<StringAttr>("at") == StringAttr::get(&context, name))
        found = op;
    });
    EXPECT_TRUE(found) << name.str();
    return found;
  }

  /// Returns the interval from operation `first` to the end of `last`, which may be a loop.
  Interval from(StringRef first, StringRef last) {
    int64_t end = 0;
    named(last)->walk([&](Operation *inner) { end = std::max(end, begin.at(inner) + 1); });
    return {begin.at(named(first)), end};
  }

  /// Returns the interval of the allocation whose owner is called `name`.
  Interval live(StringRef name) {
    for (const LivePiece &piece : liveness->pieces)
      if (piece.owner == named(name))
        return piece.live;
    ADD_FAILURE() << "no piece " << name.str();
    return {};
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  llvm::DenseMap<Operation *, int64_t> begin;
  std::optional<MemoryLiveness> liveness;
};

} // namespace

TEST_F(MemoryLivenessTest, ExampleOfTheHeader) {
  analyze(R"(
    %a = hk.local_alloc {at = "a"} : () -> !smem
    %b = hk.local_alloc {at = "b"} : () -> !smem
    hk.local_store %x, %b {at = "store"} : !tile -> !smem
    scf.for %i = %c0 to %n step %c1 : i32 {
      %c = hk.local_alloc {at = "c"} : () -> !smem
      hk.local_store %x, %c {at = "store in the loop"} : !tile -> !smem
      %y = hk.local_load %a : !smem -> !tile
    } {at = "loop"}
    %z = hk.convert_layout %x {at = "conversion"} : !tile -> tensor<1024xf32, #other>
  )");
  ASSERT_EQ(liveness->pieces.size(), 4u);
  EXPECT_EQ(live("a"), from("a", "loop"));
  EXPECT_EQ(live("b"), from("b", "store"));
  EXPECT_EQ(live("c"), from("c", "store in the loop"));
  EXPECT_EQ(live("conversion"), from("conversion", "conversion"));
  EXPECT_EQ(liveness->pieces[0].bytes, 4096);
  EXPECT_FALSE(liveness->pieces[0].isScratch());
  EXPECT_TRUE(liveness->pieces[3].isScratch());
}

TEST_F(MemoryLivenessTest, ViewsAreUsesOfTheBuffer) {
  analyze(R"(
    %ring = hk.local_alloc {at = "ring"} : () -> !ring
    %slot = hk.memdesc_index %ring[%n] : !ring -> !smem
    %b = hk.local_alloc {at = "b"} : () -> !smem
    %y = hk.local_load %slot {at = "load"} : !smem -> !tile
  )");
  EXPECT_EQ(live("ring"), from("ring", "load"));
  EXPECT_EQ(live("b"), from("b", "b"));
}

TEST_F(MemoryLivenessTest, ABranchMayUseEither) {
  analyze(R"(
    %a = hk.local_alloc {at = "a"} : () -> !smem
    %b = hk.local_alloc {at = "b"} : () -> !smem
    %either = scf.if %yes -> !smem {
      scf.yield %a : !smem
    } else {
      scf.yield %b : !smem
    }
    %y = hk.local_load %either {at = "load"} : !smem -> !tile
  )");
  EXPECT_EQ(live("a"), from("a", "load"));
  EXPECT_EQ(live("b"), from("b", "load"));
}

TEST_F(MemoryLivenessTest, CarriedHandlesLiveAsLongAsTheLoop) {
  analyze(R"(
    %a = hk.local_alloc {at = "a"} : () -> !smem
    %b = hk.local_alloc {at = "b"} : () -> !smem
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%cur = %a, %nxt = %b) -> (!smem, !smem) : i32 {
      %y = hk.local_load %cur : !smem -> !tile
      scf.yield %nxt, %cur : !smem, !smem
    } {at = "loop"}
    %c = hk.local_alloc {at = "c"} : () -> !smem
    %z = hk.local_load %r#0 {at = "load"} : !smem -> !tile
  )");
  EXPECT_EQ(live("a"), from("a", "load"));
  EXPECT_EQ(live("b"), from("b", "load"));
  EXPECT_FALSE(liveness->carriesOwnBuffer);
}

TEST_F(MemoryLivenessTest, ABufferOfAnIterationMustNotReachTheNext) {
  analyze(R"(
    %a = hk.local_alloc : () -> !smem
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %a) -> !smem : i32 {
      %b = hk.local_alloc : () -> !smem
      scf.yield {at = "yield"} %b : !smem
    }
  )");
  EXPECT_EQ(liveness->carriesOwnBuffer, named("yield"));
}

// An asynchronous copy arrives at any time until a wait for all groups. -----------------------------------------------

TEST_F(MemoryLivenessTest, CopiesArriveUntilAWaitForAllGroups) {
  analyze(R"(
    %a = hk.local_alloc {at = "a"} : () -> !smem
    hk.async_copy_to_shared %p, %a : tensor<1024x!hk.ptr<f32>, #rows> -> !smem
    hk.async_commit_group
    hk.async_wait_group {outstanding = 1 : i32}
    hk.async_wait_group {outstanding = 0 : i32, at = "wait for all"}
    hk.async_wait_group {outstanding = 0 : i32}
  )");
  EXPECT_EQ(live("a"), from("a", "wait for all"));
}

TEST_F(MemoryLivenessTest, AWaitInABranchMayNotBeExecuted) {
  analyze(R"(
    %a = hk.local_alloc {at = "a"} : () -> !smem
    hk.async_copy_to_shared %p, %a : tensor<1024x!hk.ptr<f32>, #rows> -> !smem
    hk.async_commit_group
    scf.if %yes {
      hk.async_wait_group {outstanding = 0 : i32}
    }
    hk.async_wait_group {outstanding = 0 : i32, at = "wait for all"}
  )");
  EXPECT_EQ(live("a"), from("a", "wait for all"));
}

TEST_F(MemoryLivenessTest, CopiesThatNothingWaitsForArriveUntilTheEnd) {
  analyze(R"(
    %a = hk.local_alloc {at = "a"} : () -> !smem
    scf.for %i = %c0 to %n step %c1 : i32 {
      hk.async_wait_group {outstanding = 0 : i32}
      hk.async_copy_to_shared %p, %a : tensor<1024x!hk.ptr<f32>, #rows> -> !smem
      hk.async_commit_group
    } {at = "loop"}
    %y = arith.addi %n, %n {at = "after the loop"} : i32
  )");
  // The wait of the next iteration is not executed after the last iteration.
  EXPECT_GT(live("a").end, from("a", "after the loop").end);
}

// Two groups of warps are in different stages of a pipeline at one time. ----------------------------------------------

TEST_F(MemoryLivenessTest, WhatAStageUsesLivesInAllOfThem) {
  analyze(R"(
    %a = hk.local_alloc {at = "a"} : () -> !smem
    hk.stage "first" attributes {at = "first"} {
      hk.stage_yield
    }
    hk.stage "load" attributes {at = "load"} {
      %y = hk.local_load %a : !smem -> !tile
      hk.stage_yield
    }
    hk.stage "last" attributes {at = "last"} {
      %b = hk.local_alloc {at = "b"} : () -> !smem
      hk.stage_yield
    }
  )");
  EXPECT_EQ(live("a"), from("a", "last"));
  EXPECT_EQ(live("b"), from("first", "last"));
}
