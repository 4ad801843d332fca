//===- MemoryFaultsTest.cpp - Invalid accesses of memory, and their messages -------------------------===//
#include "TestKernel.h"

#include <gtest/gtest.h>
#include <set>

using namespace hocket;

namespace {

/// out[i] = x[i + offset] for one element per thread; the read is at k.py:3:9, the write at k.py:4:5.
TestKernel shiftedCopy(const std::string &target = "sm_90a") {
  bool isAmd = target.starts_with("gfx");
  return {.target = target,
          .numWarps = 2,
          .parameters = "%x: !llvm.ptr<1>, %out: !llvm.ptr<1>, %offset: i32",
          .body = "%tid = " + std::string(isAmd ? "rocdl.workitem.id.x" : "nvvm.read.ptx.sreg.tid.x") +
                  " : i32\n%block = " + std::string(isAmd ? "rocdl.workgroup.id.x" : "nvvm.read.ptx.sreg.ctaid.x") +
                  R"( : i32
    %size = llvm.mlir.constant()" +
                  (isAmd ? "128" : "64") + R"( : i32) : i32
    %start = llvm.mul %block, %size : i32
    %i = llvm.add %start, %tid : i32
    %j = llvm.add %i, %offset : i32
    %p = llvm.getelementptr %x[%j] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = lane.load %p : !llvm.ptr<1> -> f32 loc("k.py":3:9)
    lane.store %q, %v : !llvm.ptr<1>, f32 loc("k.py":4:5))"};
}

TEST(MemoryFaults, ReadPastTheEnd) {
  auto kernel = compile(shiftedCopy());
  std::vector<float> x(256), out(256);
  LaunchResult result = kernel->launch({4, 1, 1}, {array("x", x, "float32"), array("out", out, "float32"), scalar(30)});
  // 256 - 30 = 226 = block 3, thread 34.
  EXPECT_EQ(textOf(result), "k.py:3:9: error: out-of-bounds read of `x`\n"
                            "  index:    256, but `x` has 256 elements of float32\n"
                            "  address:  ADDRESS, 4 bytes\n"
                            "  at:       block (3, 0, 0), warp 1, lane 2\n"
                            "  hint:     mask the access, or pass an array that is large enough");
  const Failure &failure = *result.failure;
  EXPECT_EQ(failure.kind, FailureKind::OutOfBounds);
  EXPECT_EQ(failure.block, (std::array<uint32_t, 3>{3, 0, 0}));
  EXPECT_EQ(failure.warp, 1u);
  EXPECT_EQ(failure.lane, 2u);
  EXPECT_EQ(failure.array, "x");
  EXPECT_EQ(failure.index, 256);
  EXPECT_EQ(failure.address, reinterpret_cast<uint64_t>(x.data() + 256));
}

TEST(MemoryFaults, ReadBeforeTheStart) {
  auto kernel = compile(shiftedCopy("gfx950"));
  std::vector<float> x(256), out(256);
  EXPECT_EQ(
      textOf(kernel->launch({2, 1, 1}, {array("x", x, "float32"), array("out", out, "float32"), scalar(uint32_t(-5))})),
      "k.py:3:9: error: out-of-bounds read of `x`\n"
      "  index:    -5, but `x` has 256 elements of float32\n"
      "  address:  ADDRESS, 4 bytes\n"
      "  at:       block (0, 0, 0), warp 0, lane 0\n"
      "  hint:     mask the access, or pass an array that is large enough");
}

TEST(MemoryFaults, TheLowestThreadOfTheFirstBlockIsReported) {
  auto kernel = compile(shiftedCopy());
  std::vector<float> x(256), out(40);
  auto run = [&](uint64_t seed, unsigned threads) {
    LaunchResult result = kernel->launch({4, 1, 1}, {array("x", x, "float32"), array("out", out, "float32"), scalar(0)},
                                         {.seed = seed, .threads = threads});
    return textOf(result);
  };
  EXPECT_EQ(run(0, 1), "k.py:4:5: error: out-of-bounds write to `out`\n"
                       "  index:    40, but `out` has 40 elements of float32\n"
                       "  address:  ADDRESS, 4 bytes\n"
                       "  at:       block (0, 0, 0), warp 1, lane 8\n"
                       "  hint:     mask the access, or pass an array that is large enough");
  // The seed selects the block, not the thread.
  std::set<std::string> places;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::string text = run(seed, 1);
    EXPECT_EQ(run(seed, 3), text);
    size_t at = text.find("at:");
    places.insert(text.substr(at, text.find('\n', at) - at));
  }
  EXPECT_EQ(places, (std::set<std::string>{
                        "at:       block (0, 0, 0), warp 1, lane 8", "at:       block (1, 0, 0), warp 0, lane 0",
                        "at:       block (2, 0, 0), warp 0, lane 0", "at:       block (3, 0, 0), warp 0, lane 0"}));
}

TEST(MemoryFaults, NeighboringArraysAreToldApart) {
  // The read leaves `x` and is in bounds of `out`.
  std::vector<float> memory(128);
  auto kernel = compile(shiftedCopy());
  EXPECT_EQ(
      textOf(kernel->launch({1, 1, 1}, {ArrayArgument{"x", memory.data(), 256, true, "float32"},
                                        ArrayArgument{"out", memory.data() + 64, 256, true, "float32"}, scalar(8)})),
      "k.py:3:9: error: out-of-bounds read of `x`\n"
      "  index:    64, but `x` has 64 elements of float32\n"
      "  address:  ADDRESS, 4 bytes\n"
      "  at:       block (0, 0, 0), warp 1, lane 24\n"
      "  hint:     mask the access, or pass an array that is large enough");
}

TEST(MemoryFaults, WriteToReadOnlyArray) {
  auto kernel = compile(shiftedCopy());
  std::vector<float> x(256), out(256);
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("x", x, "float32"),
                                              ArrayArgument{"out", out.data(), 1024, false, "float32"}, scalar(0)})),
            "k.py:4:5: error: write to `out`, which is read-only\n"
            "  index:    0\n"
            "  address:  ADDRESS, 4 bytes\n"
            "  at:       block (0, 0, 0), warp 0, lane 0");
}

TEST(MemoryFaults, MisalignedVector) {
  auto kernel = compile({.parameters = "%x: !llvm.ptr<1>, %n: i32", .body = R"(
    %p = llvm.getelementptr %x[%n] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = lane.load %p : !llvm.ptr<1> -> vector<4xf32> loc("k.py":3:9))"});
  alignas(16) static float x[64];
  LaunchResult result = kernel->launch({1, 1, 1}, {ArrayArgument{"x", x, 256, true, "float32"}, scalar(6)});
  EXPECT_EQ(textOf(result), "k.py:3:9: error: misaligned read of `x`\n"
                            "  index:    6 to 9\n"
                            "  address:  ADDRESS, 16 bytes; it must be a multiple of 16\n"
                            "  at:       block (0, 0, 0), warp 0, lane 0\n"
                            "  hint:     the pointer is not aligned as promised, or an offset breaks the promise");
  EXPECT_EQ(result.failure->kind, FailureKind::Misaligned);
}

TEST(MemoryFaults, VectorThatLeavesTheArray) {
  auto kernel = compile({.parameters = "%x: !llvm.ptr<1>, %n: i32", .body = R"(
    %p = llvm.getelementptr %x[%n] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = lane.load %p : !llvm.ptr<1> -> vector<4xf32> loc("k.py":3:9))"});
  alignas(16) static float x[64];
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {ArrayArgument{"x", x, 248, true, "float32"}, scalar(60)})),
            "k.py:3:9: error: out-of-bounds read of `x`\n"
            "  index:    60 to 63, but `x` has 62 elements of float32\n"
            "  address:  ADDRESS, 16 bytes\n"
            "  at:       block (0, 0, 0), warp 0, lane 0\n"
            "  hint:     mask the access, or pass an array that is large enough");
}

/// Reads through a pointer that is computed from an integer, so that its array is not known.
TestKernel readAnywhere() {
  return {.parameters = "%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %address: i64", .body = R"(
    %p = llvm.inttoptr %address : i64 to !llvm.ptr<1>
    %v = lane.load %p : !llvm.ptr<1> -> f64 loc(callsite("read"("k.py":3:9) at "kernel"("k.py":20:2))))"};
}

TEST(MemoryFaults, PointerOfUnknownOrigin) {
  auto kernel = compile(readAnywhere());
  std::vector<double> x(8), y(8);
  auto run = [&](const void *address) {
    return textOf(kernel->launch(
        {1, 1, 1}, {array("x", x, "float64"), array("y", y, "float64"), scalar(reinterpret_cast<uint64_t>(address))}));
  };
  EXPECT_EQ(run(x.data() + 7), "ok");
  EXPECT_EQ(run(y.data()), "ok");
  EXPECT_EQ(run(y.data() + 8), "k.py:3:9: error: out-of-bounds read of `y`\n"
                               "  index:    8, but `y` has 8 elements of float64\n"
                               "  address:  ADDRESS, 8 bytes\n"
                               "  at:       block (0, 0, 0), warp 0, lane 0\n"
                               "  hint:     mask the access, or pass an array that is large enough\n"
                               "  in read, called from k.py:20 in kernel");
  EXPECT_EQ(run(nullptr), "k.py:3:9: error: read of memory outside of all arrays: the pointer is null\n"
                          "  address:  ADDRESS, 8 bytes\n"
                          "  at:       block (0, 0, 0), warp 0, lane 0\n"
                          "  in read, called from k.py:20 in kernel");
}

TEST(MemoryFaults, MaskedAccessesAreNotChecked) {
  auto kernel = compile({.parameters = "%x: !llvm.ptr<1>", .body = R"(
    %no = llvm.mlir.constant(false) : i1
    %far = llvm.mlir.constant(1000000000 : i32) : i32
    %p = llvm.getelementptr %x[%far] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = lane.load %p, pred %no : !llvm.ptr<1> -> f32
    lane.store %p, %v, pred %no : !llvm.ptr<1>, f32
    %old = lane.atomic_rmw fadd relaxed gpu, %p, %v, pred %no : !llvm.ptr<1>, f32)"});
  std::vector<float> x(4);
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("x", x, "float32")})), "ok");
}

/// Writes a float (or a vector) at a byte offset in 64 bytes of shared memory.
std::string writeShared(const std::string &type, int64_t offset) {
  auto kernel = compile({.sharedBytes = 64, .parameters = "%offset: i64", .body = R"(
    %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %p = llvm.getelementptr %s[%offset] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
    %v = llvm.mlir.undef : )" + type + "\nllvm.store %v, %p : " + type + ", !llvm.ptr<3> loc(\"k.py\":5:9)"});
  return textOf(kernel->launch({1, 1, 1}, {scalar(uint64_t(offset))}));
}

TEST(MemoryFaults, SharedMemory) {
  EXPECT_EQ(writeShared("f32", 60), "ok");
  EXPECT_EQ(writeShared("vector<4xf32>", 48), "ok");
  EXPECT_EQ(writeShared("i8", 63), "ok");
  EXPECT_EQ(writeShared("f32", 64), "k.py:5:9: error: out-of-bounds write to shared memory\n"
                                    "  offset:  64, 4 bytes; the block has 64 bytes of shared memory\n"
                                    "  at:      block (0, 0, 0), warp 0, lane 0");
  EXPECT_EQ(writeShared("i8", 64), "k.py:5:9: error: out-of-bounds write to shared memory\n"
                                   "  offset:  64, 1 byte; the block has 64 bytes of shared memory\n"
                                   "  at:      block (0, 0, 0), warp 0, lane 0");
  EXPECT_EQ(writeShared("f32", -4), "k.py:5:9: error: out-of-bounds write to shared memory\n"
                                    "  offset:  -4, 4 bytes; the block has 64 bytes of shared memory\n"
                                    "  at:      block (0, 0, 0), warp 0, lane 0");
  EXPECT_EQ(writeShared("vector<4xf32>", 8), "k.py:5:9: error: misaligned write to shared memory\n"
                                             "  offset:  8, 16 bytes; it must be a multiple of 16\n"
                                             "  at:      block (0, 0, 0), warp 0, lane 0");
}

TEST(MemoryFaults, FailedAssertion) {
  auto kernel = compile({.numWarps = 2, .parameters = "%limit: i32", .body = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %ok = llvm.icmp "slt" %tid, %limit : i32
    lane.assert %ok, "index is in range" loc("k.py":8:5))"});
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {scalar(64)})), "ok");
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {scalar(40)})),
            "k.py:8:5: error: device assertion failed: index is in range\n"
            "  at: block (0, 0, 0), warp 1, lane 8");
}

} // namespace
