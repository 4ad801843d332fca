//===- RendezvousTest.cpp - Shuffles, and missing lanes ------------------------------------------===//
#include "TestKernel.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace hocket;

namespace {

const char *const kHint = "  hint:      all warps must execute the same barriers and reductions";

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

TEST(Rendezvous, ShufflesReduceAWarp) {
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

TEST(Rendezvous, ShuffleWithMissingLanesIsADeadlock) {
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
            std::string("k.py:7:9: error: deadlock: lanes wait for lanes that never arrive\n"
                        "  at:        block (0, 0, 0)\n"
                        "  waiting:   warp 0, lanes 0-15 at the shuffle in line 7, where 16 of 32 lanes have arrived\n"
                        "  finished:  warp 0, lanes 16-31\n") +
                kHint);
}

TEST(Rendezvous, LanesAtDifferentShufflesAreADeadlock) {
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
  EXPECT_TRUE(text.starts_with("k.py:9:9: error: deadlock: lanes wait for lanes that never arrive\n")) << text;
}

} // namespace
