//===- LaneRunnerTest.cpp - Lanes in lockstep, and loops that wait -----------------------------===//
#include "TestKernel.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace hocket;

namespace {

TEST(LaneRunner, LanesOfAWarpReadBeforeOneWrites) {
  // x[tid] = x[tid + 1], in place: lane 0 must not write before lane 31 has read x[0] in a second iteration.
  auto kernel = compile({.parameters = "%x: !llvm.ptr<1>", .body = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %mask = llvm.mlir.constant(31 : i32) : i32
    %t1 = llvm.add %tid, %one : i32
    %next = llvm.and %t1, %mask : i32
    %p = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %q = llvm.getelementptr %x[%next] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = lane.load %q : !llvm.ptr<1> -> i32
    lane.store %p, %v : !llvm.ptr<1>, i32
    %w = lane.load %q : !llvm.ptr<1> -> i32
    lane.store %p, %w : !llvm.ptr<1>, i32)"});
  for (uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<int32_t> x(32);
    std::iota(x.begin(), x.end(), 0);
    EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("x", x, "int32")}, {.seed = seed})), "ok");
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(x[size_t(i)], (i + 2) % 32);
  }
}

TEST(LaneRunner, LoopThatWaitsForAnotherWarp) {
  // By the memory model, this is a race; on the hardware it works.
  auto kernel = compile({.numWarps = 2, .sharedBytes = 16, .parameters = "%out: !llvm.ptr<1>", .body = R"(
    %warp = nvvm.read.ptx.sreg.warpid : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %first = llvm.icmp "eq" %warp, %zero : i32
    llvm.cond_br %first, ^wait, ^signal
  ^signal:
    llvm.store %one, %s : i32, !llvm.ptr<3>
    llvm.br ^end
  ^wait:
    %v = llvm.load volatile %s : !llvm.ptr<3> -> i32
    %come = llvm.icmp "eq" %v, %one : i32
    llvm.cond_br %come, ^seen, ^wait
  ^seen:
    lane.store %out, %one : !llvm.ptr<1>, i32
    llvm.br ^end
  ^end:)"});
  std::vector<int32_t> out(1);
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("out", out, "int32")}, {.races = false})), "ok");
  EXPECT_EQ(out[0], 1);
}

TEST(LaneRunner, EndlessLoopCanBeInterrupted) {
  auto kernel = compile({.parameters = "", .body = R"(
    %0 = llvm.mlir.constant(0 : i64) : i64
    %1 = llvm.mlir.constant(1 : i64) : i64
    llvm.br ^loop(%0 : i64)
  ^loop(%i: i64):
    %next = llvm.add %i, %1 : i64
    %goesOn = llvm.icmp "ne" %next, %0 : i64
    llvm.cond_br %goesOn, ^loop(%next : i64), ^end
  ^end:)"});
  int asked = 0;
  LaunchResult result = kernel->launch({4, 1, 1}, {}, {.shouldStop = [&] { return ++asked == 3; }});
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->kind, FailureKind::Interrupted);
  EXPECT_EQ(textOf(result), "error: the launch was interrupted");
}

TEST(LaneRunner, EndlessLoopThatReadsNothingIsAnError) {
  auto kernel = compile({.parameters = "", .body = "llvm.br ^loop\n^loop:\nllvm.br ^loop\n^end:"});
  LaunchResult result = kernel->launch({4, 1, 1}, {}, {});
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->kind, FailureKind::Deadlock);
  EXPECT_EQ(textOf(result), "error: endless loop: no lane reads or computes anything that could end it\n"
                            "  at: block (0, 0, 0)");
}

} // namespace
