//===- MbarriersTest.cpp - Mbarriers used by producer and consumer warps ---------------------------===//
#include "TestKernel.h"

#include <gtest/gtest.h>

namespace hocket {
namespace {

constexpr uint64_t kSeeds = 12;

/// `%full` and `%empty` are at bytes 256 and 264, and each lane has a word of `%tile`. Thread 0 initializes both
/// mbarriers, and all warps wait for that.
const std::string kHead = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %warp = llvm.udiv %tid, %c32 : i32
    %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %full = llvm.getelementptr %s[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %empty = llvm.getelementptr %s[264] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %word = llvm.getelementptr %s[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %isFirst = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %isFirst, ^init, ^begin
  ^init:
    nvvm.mbarrier.init %full, %c32 : !llvm.ptr<3>, i32
    nvvm.mbarrier.init %empty, %c32 : !llvm.ptr<3>, i32
    llvm.br ^begin
  ^begin:
    nvvm.barrier0
    %isProducer = llvm.icmp "eq" %warp, %c0 : i32
    llvm.cond_br %isProducer, ^produce(%c0 : i32), ^consume(%c0, %c0 : i32, i32)
)";

/// Warp 0 writes i + lane in iteration i, warp 1 adds the values that it reads.
std::string ring(const std::string &waitForEmpty, const std::string &waitForFull) {
  return kHead + R"(
  ^produce(%i: i32):
    %more = llvm.icmp "slt" %i, %rounds : i32
    llvm.cond_br %more, ^write, ^end
  ^write:
    %odd = llvm.and %i, %c1 : i32
    %before = llvm.xor %odd, %c1 : i32
    )" + waitForEmpty +
         R"(
    %value = llvm.add %i, %lane : i32
    llvm.store %value, %word : i32, !llvm.ptr<3> loc("k.py":7:5)
    %a = nvvm.mbarrier.arrive %full : !llvm.ptr<3> -> i64
    %next = llvm.add %i, %c1 : i32
    llvm.br ^produce(%next : i32)
  ^consume(%j: i32, %sum: i32):
    %still = llvm.icmp "slt" %j, %rounds : i32
    llvm.cond_br %still, ^read, ^store
  ^read:
    %parity = llvm.and %j, %c1 : i32
    )" + waitForFull +
         R"(
    %v = llvm.load %word : !llvm.ptr<3> -> i32 loc("k.py":9:5)
    %b = nvvm.mbarrier.arrive %empty : !llvm.ptr<3> -> i64
    %total = llvm.add %sum, %v : i32
    %after = llvm.add %j, %c1 : i32
    llvm.br ^consume(%after, %total : i32, i32)
  ^store:
    %out = llvm.getelementptr %y[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    lane.store %out, %sum : !llvm.ptr<1>, i32
    llvm.br ^end
  ^end:
)";
}

const std::string kWaitForEmpty = "lane.mbarrier_wait %empty, %before : !llvm.ptr<3> loc(\"k.py\":6:5)";
const std::string kWaitForFull = "lane.mbarrier_wait %full, %parity : !llvm.ptr<3> loc(\"k.py\":8:5)";

std::unique_ptr<EmulatedKernel> kernelOf(const std::string &body) {
  return compile({.numWarps = 2,
                  .sharedBytes = 512,
                  .parameters = "%y: !llvm.ptr<1>, %rounds: i32",
                  .body = body,
                  .buffers = R"([#hk.buffer<name = "`tile`", offset = 0, bytes = 128>,
                                 #hk.buffer<name = "`full`", offset = 256, bytes = 8>,
                                 #hk.buffer<name = "`empty`", offset = 264, bytes = 8>])"});
}

struct Result {
  std::string text;
  std::vector<int32_t> y;
};

Result run(const EmulatedKernel &kernel, uint32_t rounds, uint64_t seed) {
  std::vector<int32_t> y(32);
  LaunchOptions options;
  options.seed = seed;
  options.threads = 1;
  return {textOf(kernel.launch({1, 1, 1}, {array("y", y, "int32"), scalar(rounds)}, options)), y};
}

TEST(Mbarriers, WarpsTakeTurns) {
  auto kernel = kernelOf(ring(kWaitForEmpty, kWaitForFull));
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    auto [text, y] = run(*kernel, 5, seed);
    EXPECT_EQ(text, "ok");
    for (int32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(y[size_t(lane)], 10 + 5 * lane) << "seed " << seed;
  }
}

TEST(Mbarriers, MissingWaitForData) {
  auto kernel = kernelOf(ring(kWaitForEmpty, ""));
  // The consumer arrives too often, unless a race is reported before.
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    EXPECT_NE(run(*kernel, 5, seed).text, "ok") << "seed " << seed;
}

TEST(Mbarriers, MissingWaitForSpace) {
  // The producer arrives twice in a phase, unless a race is reported before.
  auto kernel = kernelOf(ring("", kWaitForFull));
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    EXPECT_NE(run(*kernel, 5, seed).text, "ok") << "seed " << seed;
}

TEST(Mbarriers, WaitForTheOtherParity) {
  std::string wrong = "lane.mbarrier_wait %empty, %odd : !llvm.ptr<3> loc(\"k.py\":6:5)";
  auto kernel = kernelOf(ring(wrong, kWaitForFull));
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::string text = run(*kernel, 5, seed).text;
    EXPECT_NE(text.find("deadlock"), std::string::npos) << text;
    EXPECT_NE(text.find("warp 0 at the mbarrier `empty` in line 6, whose phase 0 lacks 32 of 32 arrivals"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("warp 1 at the mbarrier `full` in line 8, whose phase 0 lacks 32 of 32 arrivals"),
              std::string::npos)
        << text;
  }
}

TEST(Mbarriers, UseThatNothingOrdersAfterInit) {
  std::string body = ring(kWaitForEmpty, kWaitForFull);
  body.erase(body.find("nvvm.barrier0"), std::string("nvvm.barrier0").size());
  auto kernel = kernelOf(body);
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    EXPECT_NE(run(*kernel, 5, seed).text, "ok") << "seed " << seed;
}

TEST(Mbarriers, BlocksDoNotInheritThem) {
  auto kernel = kernelOf(ring(kWaitForEmpty, kWaitForFull));
  std::vector<int32_t> y(32);
  LaunchOptions options;
  options.threads = 1;
  options.races = false;
  EXPECT_EQ(textOf(kernel->launch({3, 1, 1}, {array("y", y, "int32"), scalar(4)}, options)), "ok");
}

} // namespace
} // namespace hocket
