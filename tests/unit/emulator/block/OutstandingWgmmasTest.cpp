//===- OutstandingWgmmasTest.cpp - wgmma, run by kernels ------------------------------------------===//
#include "TestKernel.h"

#include <cmath>
#include <gtest/gtest.h>

namespace hocket {
namespace {

constexpr uint64_t kSeeds = 12;

/// a: 64 rows of 32 bytes at 0, b: 8 columns of 32 bytes at 2048, both with a swizzle of 32 bytes, in groups of 8 rows.
const std::string kHead = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %ones = llvm.mlir.constant(1006648320 : i32) : i32 // two f16
    %twos = llvm.mlir.constant(1073758208 : i32) : i32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %a = llvm.mlir.constant(-4611685949707845632 : i64) : i64
    %b = llvm.mlir.constant(-4611685949707845504 : i64) : i64
    %five = llvm.mlir.constant(5 : i32) : i32
    %first = llvm.mul %tid, %five : i32
    %place = llvm.getelementptr %s[%first] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %out = llvm.getelementptr %y[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
)";

/// Each lane stores its 20 of 2560 bytes.
std::string storeAll(const std::string &value, int line) {
  std::string text, number = std::to_string(line);
  for (int i = 0; i < 5; ++i) {
    std::string place = "%p" + number + "_" + std::to_string(i);
    text += place + " = llvm.getelementptr %place[" + std::to_string(i) + "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32\n" +
            "llvm.store " + value + ", " + place + " : i32, !llvm.ptr<3> loc(\"k.py\":" + number + ":5)\n";
  }
  return text;
}

const std::string kStore = storeAll("%ones", 3);
const std::string kFence =
    "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}\n";
const std::string kBarrier = "nvvm.barrier0\n";
const std::string kMultiply = "%d:4 = lane.wgmma \"m64n8k16.f32.f16.f16\"[%a], %b into %zero, %zero, %zero, %zero "
                              ": (i64), (f32, f32, f32, f32) loc(\"k.py\":5:5)\n"
                              "nvvm.wgmma.commit.group.sync.aligned\n";
const std::string kWait = "%e = lane.wgmma_wait %d#0 {outstanding = 0 : i32} : f32\n";
const std::string kResult = "lane.store %out, %e : !llvm.ptr<1>, f32\n";

std::unique_ptr<EmulatedKernel> kernelOf(const std::string &body) {
  return compile({.numWarps = 4,
                  .sharedBytes = 2560,
                  .parameters = "%y: !llvm.ptr<1>",
                  .body = kHead + body,
                  .buffers = R"([#hk.buffer<name = "`tile`", offset = 0, bytes = 2560>])"});
}

struct Result {
  std::string text;
  std::vector<float> y;
};

Result run(const std::string &body, LaunchOptions options = {}) {
  std::vector<float> y(128);
  options.threads = 1;
  std::string text = textOf(kernelOf(body)->launch({1, 1, 1}, {array("y", y, "float32")}, options));
  return {text, y};
}

TEST(OutstandingWgmmas, MultipliesWhateverTheCompletion) {
  for (Completion completion : {Completion::Late, Completion::Random, Completion::Now})
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      Result result =
          run(kStore + kFence + kBarrier + kMultiply + kWait + kResult, {.seed = seed, .completion = completion});
      EXPECT_EQ(result.text, "ok");
      EXPECT_EQ(result.y, std::vector<float>(128, 16.0f));
    }
}

TEST(OutstandingWgmmas, TextOfAMissingFence) {
  EXPECT_EQ(run(kStore + kBarrier + kMultiply + kWait + kResult).text,
            "k.py:5:5: error: read by a wgmma of `tile` without a proxy fence after the write of line 3, which it "
            "may not see\n"
            "  offset:  byte 0 of `tile`\n"
            "  at:      block (0, 0, 0), warp 0, lane 31\n"
            "  other:   write in line 3, warp 0\n"
            "  hint:    put hopper.fence_async_shared() after the write, before the barrier");
}

TEST(OutstandingWgmmas, AFenceAfterTheBarrierIsTooLate) {
  std::string text = run(kStore + kBarrier + kFence + kMultiply + kWait + kResult).text;
  EXPECT_NE(text.find("without a proxy fence after the write of line 3"), std::string::npos) << text;
}

TEST(OutstandingWgmmas, AMissingBarrierIsARace) {
  std::string text = run(kStore + kFence + kMultiply + kWait + kResult).text;
  EXPECT_NE(text.find("races with"), std::string::npos) << text;
}

TEST(OutstandingWgmmas, OperandsAreReadLate) {
  std::string overwritten =
      kStore + kFence + kBarrier + kMultiply + kBarrier + storeAll("%twos", 6) + kBarrier + kWait + kResult;
  Result late = run(overwritten, {.races = false, .completion = Completion::Late});
  EXPECT_EQ(late.y, std::vector<float>(128, 64.0f));
  Result now = run(overwritten, {.races = false, .completion = Completion::Now});
  EXPECT_EQ(now.y, std::vector<float>(128, 16.0f));
  for (Completion completion : {Completion::Late, Completion::Random, Completion::Now}) {
    std::string text = run(overwritten, {.completion = completion}).text;
    EXPECT_NE(text.find("k.py:6:5: error: write to `tile` while the wgmma of line 5 may still read it"),
              std::string::npos)
        << text;
  }
}

TEST(OutstandingWgmmas, ResultsAreNaNBeforeTheWait) {
  for (const char *early : {"", "%w = lane.wgmma_wait %d#0 {outstanding = 1 : i32} : f32\n"}) {
    std::string used = *early ? "%w" : "%d#0";
    Result result =
        run(kStore + kFence + kBarrier + kMultiply + early + "lane.store %out, " + used + " : !llvm.ptr<1>, f32\n");
    for (float value : result.y)
      EXPECT_TRUE(std::isnan(value));
  }
}

TEST(OutstandingWgmmas, AnAccumulatorThatIsInFlightIsAddedTo) {
  std::string again =
      "%f:4 = lane.wgmma \"m64n8k16.f32.f16.f16\"[%a], %b into %d#0, %d#1, %d#2, %d#3 : (i64), (f32, f32, f32, "
      "f32)\nnvvm.wgmma.commit.group.sync.aligned\n%e = lane.wgmma_wait %f#0 {outstanding = 0 : i32} : f32\n";
  Result result = run(kStore + kFence + kBarrier + kMultiply + again + kResult);
  EXPECT_EQ(result.text, "ok");
  EXPECT_EQ(result.y, std::vector<float>(128, 32.0f));
}

TEST(OutstandingWgmmas, DescriptorsMayNotLeaveSharedMemory) {
  std::string wrong = R"(
    %one = llvm.mlir.constant(128 : i64) : i64
    %c = llvm.add %b, %one : i64
    %d:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %c into %zero, %zero, %zero, %zero : (i64), (f32, f32, f32, f32) loc("k.py":5:5)
    nvvm.wgmma.commit.group.sync.aligned
)";
  std::string text = run(kStore + kFence + kBarrier + wrong + kWait + kResult).text;
  EXPECT_NE(text.find("k.py:5:5: error: out-of-bounds read of shared memory"), std::string::npos) << text;
}

TEST(OutstandingWgmmas, WarpsMustNotPart) {
  std::string head = R"(
    %limit = llvm.mlir.constant(96 : i32) : i32
    %isLow = llvm.icmp "ult" %tid, %limit : i32
)";
  const char *const kParted = "error: the four warps of a warpgroup do not execute the same wgmma";
  std::string branch =
      head + "llvm.cond_br %isLow, ^multiply, ^end\n^multiply:\n" + kMultiply + "llvm.br ^end\n^end:\n";
  std::string text = run(kStore + kFence + kBarrier + branch).text;
  EXPECT_NE(text.find(kParted), std::string::npos) << text;

  std::string select = head + R"(
    %other = llvm.select %isLow, %a, %b : i1, i64
    %d:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %other into %zero, %zero, %zero, %zero : (i64), (f32, f32, f32, f32) loc("k.py":5:5)
    nvvm.wgmma.commit.group.sync.aligned
)";
  text = run(kStore + kFence + kBarrier + select + kWait + kResult).text;
  EXPECT_NE(text.find(kParted), std::string::npos) << text;
}

} // namespace
} // namespace hocket
