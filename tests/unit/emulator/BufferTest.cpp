//===- BufferTest.cpp - Accesses through buffer resources ------------------------------------------------===//
#include "TestKernel.h"

#include <bit>
#include <gtest/gtest.h>
#include <numeric>

using namespace hocket;

namespace {

/// A kernel of one wave. `records` is the size of the resources in bytes. `body` may use the resources %rx and %rout,
/// the lane's index %tid and %byte = 4 * %tid, and the constants %zero and %records.
TestKernel withBuffers(const std::string &body, const std::string &records = "2147483646") {
  return {.target = "gfx942", .parameters = "%x: !llvm.ptr<1>, %out: !llvm.ptr<1>, %shift: i32", .body = R"(
    %tid = rocdl.workitem.id.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %stride = llvm.mlir.constant(0 : i16) : i16
    %flags = llvm.mlir.constant(159744 : i32) : i32
    %records = llvm.mlir.constant()" + records + R"( : i64) : i64
    %rx = rocdl.make.buffer.rsrc %x, %stride, %records, %flags : !llvm.ptr<1> to !llvm.ptr<8>
    %rout = rocdl.make.buffer.rsrc %out, %stride, %records, %flags : !llvm.ptr<1> to !llvm.ptr<8>
    %byte = llvm.mul %tid, %four : i32
    )" + body};
}

LaunchResult run(const TestKernel &kernel, std::vector<int32_t> &x, std::vector<int32_t> &out, int32_t shift = 0) {
  return compile(kernel)->launch({1, 1, 1},
                                 {array("x", x, "int32"), array("out", out, "int32"), scalar(uint32_t(shift))});
}

std::vector<int32_t> numbers(size_t count) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), 100);
  return values;
}

TEST(Buffer, LoadsAndStoresWithScalarOffset) {
  std::vector<int32_t> x = numbers(66), out(64);
  EXPECT_EQ(textOf(run(withBuffers(R"(
    %v = rocdl.raw.ptr.buffer.load %rx, %byte, %shift, %zero : i32
    rocdl.raw.ptr.buffer.store %v, %rout, %byte, %zero, %zero : i32)"),
                       x, out, 8)),
            "ok");
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[size_t(i)], 102 + i);
}

TEST(Buffer, OutsideOfTheResourceLoadsZeroAndStoresNothing) {
  // The size is 100 bytes, so lanes 0 to 24 are in bounds, for any scalar offset.
  std::vector<int32_t> x = numbers(64), out(64, -1);
  EXPECT_EQ(textOf(run(withBuffers(R"(
    %v = rocdl.raw.ptr.buffer.load %rx, %byte, %shift, %zero : i32
    %p = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    lane.store %p, %v : !llvm.ptr<1>, i32)",
                                   "100"),
                       x, out, 16)),
            "ok");
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[size_t(i)], i < 25 ? 104 + i : 0) << i;

  out.assign(64, -1);
  EXPECT_EQ(
      textOf(run(withBuffers("rocdl.raw.ptr.buffer.store %tid, %rout, %byte, %zero, %zero : i32", "100"), x, out)),
      "ok");
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[size_t(i)], i < 25 ? i : -1) << i;
}

TEST(Buffer, MaskedLanesAreBeyondEveryResource) {
  std::vector<int32_t> x = numbers(64), out(64, -1);
  EXPECT_EQ(textOf(run(withBuffers(R"(
    %outside = llvm.mlir.constant(-2147483648 : i32) : i32
    %mask = llvm.icmp "slt" %tid, %shift : i32
    %masked = llvm.select %mask, %byte, %outside : i1, i32
    %v = rocdl.raw.ptr.buffer.load %rx, %masked, %zero, %zero : vector<1xi32>
    %one = llvm.mlir.constant(dense<1> : vector<1xi32>) : vector<1xi32>
    %sum = llvm.add %v, %one : vector<1xi32>
    rocdl.raw.ptr.buffer.store %sum, %rout, %masked, %zero, %zero : vector<1xi32>)"),
                       x, out, 10)),
            "ok");
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[size_t(i)], i < 10 ? 101 + i : -1) << i;
}

TEST(Buffer, VectorsNeedTheAlignmentOfAWordOnly) {
  std::vector<int32_t> x = numbers(70), out(68);
  EXPECT_EQ(textOf(run(withBuffers(R"(
    %v = rocdl.raw.ptr.buffer.load %rx, %byte, %zero, %zero : vector<3xi32>
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %last = llvm.extractelement %v[%c2 : i32] : vector<3xi32>
    rocdl.raw.ptr.buffer.store %last, %rout, %byte, %zero, %zero : i32)"),
                       x, out)),
            "ok");
  EXPECT_EQ(out[0], 102);
  EXPECT_EQ(out[63], 165);
  EXPECT_EQ(textOf(run(withBuffers(R"(
    %odd = llvm.mul %tid, %shift : i32
    %v = rocdl.raw.ptr.buffer.load %rx, %odd, %zero, %zero : vector<2xi32> loc("k.py":3:9)
    rocdl.raw.ptr.buffer.store %v, %rout, %zero, %zero, %zero : vector<2xi32>)"),
                       x, out, 3)),
            "k.py:3:9: error: misaligned read of `x`\n"
            "  index:    0 to 1\n"
            "  address:  ADDRESS, 8 bytes; it must be a multiple of 4\n"
            "  at:       block (0, 0, 0), warp 0, lane 1\n"
            "  hint:     the pointer is not aligned as promised, or an offset breaks the promise");
}

TEST(Buffer, InsideOfTheResourceButNotOfTheArray) {
  std::vector<int32_t> x = numbers(60), out(64);
  EXPECT_EQ(textOf(run(withBuffers(R"(
    %v = rocdl.raw.ptr.buffer.load %rx, %byte, %zero, %zero : i32 loc("k.py":3:9)
    rocdl.raw.ptr.buffer.store %v, %rout, %byte, %zero, %zero : i32)"),
                       x, out)),
            "k.py:3:9: error: out-of-bounds read of `x`\n"
            "  index:    60, but `x` has 60 elements of int32\n"
            "  address:  ADDRESS, 4 bytes\n"
            "  at:       block (0, 0, 0), warp 0, lane 60\n"
            "  hint:     mask the access, or pass an array that is large enough");
  x = numbers(64);
  out.resize(10);
  EXPECT_EQ(textOf(run(withBuffers("rocdl.raw.ptr.buffer.store %tid, %rout, %byte, %shift, %zero : i32 "
                                   "loc(\"k.py\":4:5)"),
                       x, out, 4)),
            "k.py:4:5: error: out-of-bounds write to `out`\n"
            "  index:    10, but `out` has 10 elements of int32\n"
            "  address:  ADDRESS, 4 bytes\n"
            "  at:       block (0, 0, 0), warp 0, lane 9\n"
            "  hint:     mask the access, or pass an array that is large enough");
}

/// Returns x[0] after all lanes have changed it; lanes from 32 on are out of bounds.
int32_t afterAtomic(const std::string &name, int32_t before) {
  std::vector<int32_t> x = {before}, out(64, -1);
  std::string body = R"(
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %outside = llvm.mlir.constant(-2147483648 : i32) : i32
    %mask = llvm.icmp "slt" %tid, %c32 : i32
    %place = llvm.select %mask, %zero, %outside : i1, i32
    %old = llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.atomic.)" +
                     name + R"("(%tid, %rx, %place, %zero, %zero) : (i32, !llvm.ptr<8>, i32, i32, i32) -> i32
    rocdl.raw.ptr.buffer.store %old, %rout, %byte, %zero, %zero : i32)";
  EXPECT_EQ(textOf(run(withBuffers(body), x, out)), "ok") << name;
  EXPECT_EQ(out[0], before) << name;
  EXPECT_EQ(out[40], 0) << name;
  return x[0];
}

TEST(Buffer, IntegerAtomics) {
  EXPECT_EQ(afterAtomic("add", 5), 5 + 31 * 16);
  EXPECT_EQ(afterAtomic("sub", 5), 5 - 31 * 16);
  EXPECT_EQ(afterAtomic("and", 7), 0);
  EXPECT_EQ(afterAtomic("or", 64), 64 + 31);
  EXPECT_EQ(afterAtomic("xor.i32", 3), 3);
  EXPECT_EQ(afterAtomic("smin", -4), -4);
  EXPECT_EQ(afterAtomic("smax", -4), 31);
  EXPECT_EQ(afterAtomic("umin", -4), 0);
  EXPECT_EQ(afterAtomic("umax", -4), -4);
  EXPECT_EQ(afterAtomic("swap", 9), 31);
}

TEST(Buffer, FloatAtomicsAndCompareAndSwap) {
  std::vector<int32_t> x = {std::bit_cast<int32_t>(0.5f), 0, 0, 0}, out(64);
  EXPECT_EQ(textOf(run(withBuffers(R"(
    %one = llvm.mlir.constant(1.0 : f32) : f32
    rocdl.raw.ptr.buffer.atomic.fadd %one, %rx, %zero, %zero, %zero : f32
    %pair = llvm.mlir.constant(dense<[1.0, 2.0]> : vector<2xf16>) : vector<2xf16>
    %old = llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.atomic.fadd"(%pair, %rx, %four, %zero, %zero)
      : (vector<2xf16>, !llvm.ptr<8>, i32, i32, i32) -> vector<2xf16>
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %next = llvm.add %tid, %shift : i32
    %seen = rocdl.raw.ptr.buffer.atomic.cmpswap %next, %tid, %rx, %c8, %zero, %zero : i32
    rocdl.raw.ptr.buffer.store %seen, %rout, %byte, %zero, %zero : i32)"),
                       x, out, 1)),
            "ok");
  EXPECT_EQ(std::bit_cast<float>(x[0]), 64.5f);
  EXPECT_EQ(x[1], 0x58005400); // 64 and 128 in f16
  EXPECT_EQ(x[2], 64);
  EXPECT_EQ(out[63], 63);
}

TEST(Buffer, WhatCannotBeFollowedIsNamed) {
  EXPECT_EQ(compileError({.target = "gfx942", .parameters = "%r: !llvm.ptr<8>", .body = R"(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %v = rocdl.raw.ptr.buffer.load %r, %zero, %zero, %zero : i32 loc("k.py":3:9))"}),
            "loc(\"k.py\":3:9): the emulator cannot find the operation that creates the buffer resource of "
            "rocdl.raw.ptr.buffer.load");
  EXPECT_EQ(compileError(withBuffers("%v = llvm.load %rx : !llvm.ptr<8> -> i32 loc(\"k.py\":3:9)")),
            "loc(\"k.py\":3:9): the emulator cannot check this access; global memory is accessed by lane operations");
  EXPECT_EQ(compileError(withBuffers("%v = llvm.call_intrinsic \"llvm.amdgcn.raw.ptr.buffer.atomic.inc\"(%tid, %rx, "
                                     "%zero, %zero, %zero) : (i32, !llvm.ptr<8>, i32, i32, i32) -> i32 "
                                     "loc(\"k.py\":3:9)")),
            "loc(\"k.py\":3:9): the emulator does not support the buffer atomic inc");
}

} // namespace
