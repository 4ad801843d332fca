//===- SynchronizationTest.cpp - Shuffles, barriers, loops and deadlocks ---------------------------===//
#include "TestKernel.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace hocket;

namespace {

const char *const kHint = "  hint:      barriers and reductions must be reached by all warps alike";

/// Sum of each warp's elements by butterfly shuffles; each lane stores it.
TestKernel warpSum(const std::string &target) {
  bool isAmd = target.starts_with("gfx");
  std::string body = "%tid = " + std::string(isAmd ? "rocdl.workitem.id.x" : "nvvm.read.ptx.sreg.tid.x") + R"( : i32
    %p = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %q = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v0 = lane.load %p : !llvm.ptr<1> -> f32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32)";
  int step = 0;
  for (int offset = isAmd ? 32 : 16; offset; offset /= 2, ++step) {
    std::string n = std::to_string(step), next = std::to_string(step + 1);
    body += "\n%o" + n + " = llvm.mlir.constant(" + std::to_string(offset) + " : i32) : i32\n";
    if (isAmd)
      body += "%l" + n + " = llvm.xor %tid, %o" + n + " : i32\n%b" + n + " = llvm.shl %l" + n + ", %two : i32\n%i" + n +
              " = llvm.bitcast %v" + n + " : f32 to i32\n%j" + n + " = rocdl.ds_bpermute %b" + n + ", %i" + n +
              " : (i32, i32) -> i32\n%s" + n + " = llvm.bitcast %j" + n + " : i32 to f32\n";
    else
      body += "%s" + n + " = nvvm.shfl.sync bfly %all, %v" + n + ", %o" + n + ", %clamp : f32 -> f32\n";
    body += "%v" + next + " = llvm.fadd %v" + n + ", %s" + n + " : f32";
  }
  body += "\nlane.store %q, %v" + std::to_string(step) + " : !llvm.ptr<1>, f32";
  return {.target = target, .numWarps = 2, .parameters = "%x: !llvm.ptr<1>, %out: !llvm.ptr<1>", .body = body};
}

TEST(Synchronization, ShufflesReduceAWarp) {
  for (std::string target : {"sm_90a", "gfx950"}) {
    auto kernel = compile(warpSum(target));
    size_t lanes = target == "gfx950" ? 64 : 32;
    std::vector<float> x(2 * lanes), out(2 * lanes);
    std::iota(x.begin(), x.end(), 1.0f);
    for (uint64_t seed : {0, 1, 2, 3}) {
      EXPECT_EQ(
          textOf(kernel->launch({1, 1, 1}, {array("x", x, "float32"), array("out", out, "float32")}, {.seed = seed})),
          "ok");
      for (size_t i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], std::accumulate(x.begin() + long(i / lanes * lanes),
                                          x.begin() + long((i / lanes + 1) * lanes), 0.0f));
    }
  }
}

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

TEST(Synchronization, BarriersOrderSharedMemory) {
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

TEST(Synchronization, MissingBarrierShowsForSomeSeed) {
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

TEST(Synchronization, NamedBarrierWithArrivals) {
  // Warps 1 to 3 arrive at barrier 1 and go on; warp 0 waits for them.
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

TEST(Synchronization, BarrierReduction) {
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

TEST(Synchronization, StaggeredWavesReleaseEachOther) {
  // The upper half of the waves passes one more barrier before, the lower half one more after: barriers count.
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

TEST(Synchronization, LanesOfAWarpReadBeforeOneWrites) {
  // x[tid] = x[tid + 1], in place: lane 0 must not write before lane 31 has read x[0] in a second round.
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

TEST(Synchronization, LoopThatWaitsForAnotherWarp) {
  // A race by the rules, which works on the hardware.
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

TEST(Synchronization, EndlessLoopCanBeInterrupted) {
  auto kernel = compile({.parameters = "", .body = "llvm.br ^loop\n^loop:\nllvm.br ^loop\n^end:"});
  int asked = 0;
  LaunchResult result = kernel->launch({4, 1, 1}, {}, {.shouldStop = [&] { return ++asked == 3; }});
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->kind, FailureKind::Interrupted);
  EXPECT_EQ(textOf(result), "error: the launch was interrupted");
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

TEST(Synchronization, DivergentBarrierIsADeadlock) {
  auto kernel = compile(divergentBarrier("sm_90a", 80));
  LaunchResult result = kernel->launch({3, 1, 1}, {});
  EXPECT_EQ(textOf(result), std::string("k.py:12:5: error: deadlock: lanes wait for others that never come\n"
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

TEST(Synchronization, AmdBarrierDoesNotWaitForEndedWaves) {
  EXPECT_EQ(textOf(compile(divergentBarrier("gfx950", 128))->launch({1, 1, 1}, {})), "ok");
  EXPECT_EQ(textOf(compile(divergentBarrier("gfx950", 100))->launch({1, 1, 1}, {})),
            std::string("k.py:12:5: error: deadlock: lanes wait for others that never come\n"
                        "  at:        block (0, 0, 0)\n"
                        "  waiting:   warp 0 at the barrier in line 12, where 100 of 256 threads have arrived\n"
                        "  waiting:   warp 1, lanes 0-35 at the barrier in line 12, where 100 of 256 threads have "
                        "arrived\n"
                        "  finished:  warp 1, lanes 36-63\n"
                        "  finished:  warps 2-3\n") +
                kHint);
}

TEST(Synchronization, DeadlockNamesTheStageThatABarrierEnds) {
  auto kernel = divergentBarrier("gfx950", 100);
  size_t barrier = kernel.body.find("rocdl.s.barrier");
  kernel.body.insert(barrier, "rocdl.sched.barrier 0 {hk.stage = \"load\"}\n");
  std::string text = textOf(compile(kernel)->launch({1, 1, 1}, {}));
  EXPECT_NE(
      text.find("warp 0 at the barrier in line 12, behind stage \"load\", where 100 of 256 threads have arrived\n"),
      std::string::npos)
      << text;
}

TEST(Synchronization, ShuffleWithMissingLanesIsADeadlock) {
  auto kernel = compile({.parameters = "", .body = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %half = llvm.mlir.constant(16 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %low = llvm.icmp "slt" %tid, %half : i32
    llvm.cond_br %low, ^meet, ^end
  ^meet:
    %v = nvvm.shfl.sync bfly %all, %tid, %half, %clamp : i32 -> i32 loc("k.py":7:9)
    llvm.br ^end
  ^end:)"});
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {})),
            std::string("k.py:7:9: error: deadlock: lanes wait for others that never come\n"
                        "  at:        block (0, 0, 0)\n"
                        "  waiting:   warp 0, lanes 0-15 at the shuffle in line 7, where 16 of 32 lanes have arrived\n"
                        "  finished:  warp 0, lanes 16-31\n") +
                kHint);
}

TEST(Synchronization, LanesAtDifferentShufflesAreADeadlock) {
  auto kernel = compile({.parameters = "", .body = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %bit = llvm.and %tid, %one : i32
    %odd = llvm.icmp "eq" %bit, %one : i32
    llvm.cond_br %odd, ^a, ^b
  ^a:
    %v = nvvm.shfl.sync bfly %all, %tid, %one, %clamp : i32 -> i32 loc("k.py":7:9)
    llvm.br ^end
  ^b:
    nvvm.bar.warp.sync %all : i32 loc("k.py":9:9)
    llvm.br ^end
  ^end:)"});
  std::string text = textOf(kernel->launch({1, 1, 1}, {}));
  EXPECT_TRUE(text.starts_with("k.py:9:9: error: deadlock: lanes wait for others that never come\n")) << text;
}

} // namespace
