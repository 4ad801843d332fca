//===- BarriersTest.cpp - Barriers of a block, and missing arrivals ----------------------------===//
#include "TestKernel.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace hocket;

namespace {

const char *const kHint = "  hint:      all warps must execute the same barriers and reductions";

constexpr char kFencedBarrier[] = R"(llvm.fence syncscope("workgroup") release
    rocdl.s.barrier
    llvm.fence syncscope("workgroup") acquire)";

/// Every thread writes its element to shared memory and reads the mirrored one after a barrier, in a loop.
TestKernel mirror(const std::string &target, const std::string &barrier) {
  bool isAmd = target.starts_with("gfx");
  int threads = 4 * (isAmd ? 64 : 32);
  return {.target = target,
          .numWarps = 4,
          .sharedBytes = threads * 4,
          .parameters = "%x: !llvm.ptr<1>, %rounds: i32",
          .body = "%tid = " + std::string(isAmd ? "rocdl.workitem.id.x" : "nvvm.read.ptx.sreg.tid.x") +
                  " : i32\n%last = llvm.mlir.constant(" + std::to_string(threads - 1) + R"( : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %mirrored = llvm.sub %last, %tid : i32
    %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %mine = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %other = llvm.getelementptr %s[%mirrored] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %p = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %start = lane.load %p : !llvm.ptr<1> -> f32
    llvm.br ^loop(%zero, %start : i32, f32)
  ^loop(%i: i32, %v: f32):
    llvm.store %v, %mine : f32, !llvm.ptr<3>
    )" + barrier + R"(
    %w = llvm.load %other : !llvm.ptr<3> -> f32
    )" + barrier + R"(
    %next = llvm.add %i, %one : i32
    %more = llvm.icmp "slt" %next, %rounds : i32
    llvm.cond_br %more, ^loop(%next, %w : i32, f32), ^done
  ^done:
    lane.store %p, %w : !llvm.ptr<1>, f32)"};
}

TEST(Barriers, BarriersOrderSharedMemory) {
  for (auto [target, barrier] : {std::pair("sm_90a", "nvvm.barrier0"), std::pair("sm_80", "nvvm.barrier"),
                                 std::pair("gfx950", kFencedBarrier), std::pair("gfx942", "rocdl.barrier")}) {
    auto kernel = compile(mirror(target, barrier));
    std::vector<float> x(std::string(target).starts_with("gfx") ? 256 : 128);
    for (uint64_t seed = 0; seed < 20; ++seed) {
      std::iota(x.begin(), x.end(), 0.0f);
      EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("x", x, "float32"), scalar(7)}, {.seed = seed})), "ok");
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(x[i], float(x.size() - 1 - i)) << target << " seed " << seed;
    }
  }
}

TEST(Barriers, MissingBarrierShowsForSomeSeed) {
  auto kernel = compile(mirror("sm_90a", ""));
  int wrong = 0;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<float> x(128);
    std::iota(x.begin(), x.end(), 0.0f);
    EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("x", x, "float32"), scalar(7)}, {.seed = seed, .races = false})),
              "ok");
    wrong += x[0] != 127;
  }
  EXPECT_GT(wrong, 0);
}

TEST(Barriers, NamedBarrierWithArrivals) {
  // Warps 1 to 3 arrive at barrier 1 and continue; warp 0 waits for them.
  auto kernel = compile({.numWarps = 4, .sharedBytes = 512, .parameters = "%out: !llvm.ptr<1>", .body = R"(
    %warp = nvvm.read.ptx.sreg.warpid : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %last = llvm.mlir.constant(127 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %all = llvm.mlir.constant(128 : i32) : i32
    %seven = llvm.mlir.constant(7 : i32) : i32
    %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %first = llvm.icmp "eq" %warp, %zero : i32
    llvm.cond_br %first, ^consumer, ^producer
  ^producer:
    %mine = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %seven, %mine : i32, !llvm.ptr<3>
    nvvm.barrier.arrive id = %one number_of_threads = %all
    llvm.br ^end
  ^consumer:
    nvvm.barrier id = %one number_of_threads = %all
    %theirs = llvm.getelementptr %s[%last] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %theirs : !llvm.ptr<3> -> i32
    lane.store %out, %v : !llvm.ptr<1>, i32
    llvm.br ^end
  ^end:)"});
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<int32_t> out(1);
    EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("out", out, "int32")}, {.seed = seed})), "ok");
    EXPECT_EQ(out[0], 7);
  }
}

TEST(Barriers, BarrierReduction) {
  auto kernel = compile({.numWarps = 2, .parameters = "%out: !llvm.ptr<1>", .body = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %five = llvm.mlir.constant(5 : i32) : i32
    %few = llvm.icmp "slt" %tid, %five : i32
    %pred = llvm.zext %few : i1 to i32
    %n = nvvm.barrier #nvvm.reduction<popc> %pred -> i32
    %p = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    lane.store %p, %n : !llvm.ptr<1>, i32)"});
  std::vector<int32_t> out(64);
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("out", out, "int32")})), "ok");
  EXPECT_EQ(out, std::vector<int32_t>(64, 5));
}

TEST(Barriers, StaggeredWavesReleaseEachOther) {
  // The upper wave executes one more barrier before the common one, the lower wave one more after it. Barriers count
  // arrivals.
  auto kernel = compile({.target = "gfx950", .numWarps = 2, .parameters = "%out: !llvm.ptr<1>", .body = R"(
    %tid = rocdl.workitem.id.x : i32
    %half = llvm.mlir.constant(64 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %upper = llvm.icmp "sge" %tid, %half : i32
    llvm.cond_br %upper, ^early, ^work
  ^early:
    rocdl.s.barrier
    llvm.br ^work
  ^work:
    rocdl.s.barrier
    llvm.cond_br %upper, ^end, ^late
  ^late:
    rocdl.s.barrier
    llvm.br ^end
  ^end:
    %p = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    lane.store %p, %one : !llvm.ptr<1>, i32)"});
  std::vector<int32_t> out(128);
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("out", out, "int32")})), "ok");
  EXPECT_EQ(out, std::vector<int32_t>(128, 1));
}

/// A barrier that threads below a limit reach, at k.py:12.
TestKernel divergentBarrier(const std::string &target, int limit) {
  bool isAmd = target.starts_with("gfx");
  return {.target = target,
          .numWarps = 4,
          .parameters = "",
          .body = "%tid = " + std::string(isAmd ? "rocdl.workitem.id.x" : "nvvm.read.ptx.sreg.tid.x") +
                  " : i32\n%limit = llvm.mlir.constant(" + std::to_string(limit) + R"( : i32) : i32
    %below = llvm.icmp "slt" %tid, %limit : i32
    llvm.cond_br %below, ^meet, ^end
  ^meet:
    )" + (isAmd ? "rocdl.s.barrier" : "nvvm.barrier0") +
                  R"( loc("k.py":12:5)
    llvm.br ^end
  ^end:)"};
}

TEST(Barriers, DivergentBarrierIsADeadlock) {
  auto kernel = compile(divergentBarrier("sm_90a", 80));
  LaunchResult result = kernel->launch({3, 1, 1}, {});
  EXPECT_EQ(textOf(result), std::string("k.py:12:5: error: deadlock: lanes wait for lanes that never arrive\n"
                                        "  at:        block (0, 0, 0)\n"
                                        "  waiting:   warps 0-1 at the barrier in line 12, where 80 of 128 threads "
                                        "have arrived\n"
                                        "  waiting:   warp 2, lanes 0-15 at the barrier in line 12, where 80 of 128 "
                                        "threads have arrived\n"
                                        "  finished:  warp 2, lanes 16-31\n"
                                        "  finished:  warp 3\n") +
                                kHint);
  EXPECT_EQ(result.failure->kind, FailureKind::Deadlock);
}

TEST(Barriers, AmdBarrierDoesNotWaitForEndedWaves) {
  EXPECT_EQ(textOf(compile(divergentBarrier("gfx950", 128))->launch({1, 1, 1}, {})), "ok");
  EXPECT_EQ(textOf(compile(divergentBarrier("gfx950", 100))->launch({1, 1, 1}, {})),
            std::string("k.py:12:5: error: deadlock: lanes wait for lanes that never arrive\n"
                        "  at:        block (0, 0, 0)\n"
                        "  waiting:   warp 0 at the barrier in line 12, where 100 of 256 threads have arrived\n"
                        "  waiting:   warp 1, lanes 0-35 at the barrier in line 12, where 100 of 256 threads have "
                        "arrived\n"
                        "  finished:  warp 1, lanes 36-63\n"
                        "  finished:  warps 2-3\n") +
                kHint);
}

TEST(Barriers, DeadlockNamesTheStageThatABarrierEnds) {
  auto kernel = divergentBarrier("gfx950", 100);
  size_t barrier = kernel.body.find("rocdl.s.barrier");
  kernel.body.insert(barrier, "rocdl.sched.barrier 0 {lane.stage = \"load\"}\n");
  std::string text = textOf(compile(kernel)->launch({1, 1, 1}, {}));
  EXPECT_NE(
      text.find("warp 0 at the barrier in line 12, after stage \"load\", where 100 of 256 threads have arrived\n"),
      std::string::npos)
      << text;
}

} // namespace
