//===- KernelTest.cpp - Kernels that run to their end ------------------------------------------===//
#include "TestKernel.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace hocket;

namespace {

/// Computes x + y for n elements, with four elements per lane and a mask.
TestKernel vectorAdd(const std::string &target) {
  bool isAmd = target.starts_with("gfx");
  std::string tid = isAmd ? "rocdl.workitem.id.x" : "nvvm.read.ptx.sreg.tid.x";
  std::string block = isAmd ? "rocdl.workgroup.id.x" : "nvvm.read.ptx.sreg.ctaid.x";
  int elements = 4 * 4 * (isAmd ? 64 : 32);
  return {.target = target,
          .numWarps = 4,
          .parameters = "%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %out: !llvm.ptr<1>, %n: i32",
          .body = "%tid = " + tid + " : i32\n %block = " + block + " : i32\n" + "%size = llvm.mlir.constant(" +
                  std::to_string(elements) + R"( : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %zeros = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
    %start = llvm.mul %block, %size : i32
    %inside = llvm.mul %tid, %four : i32
    %i = llvm.add %start, %inside : i32
    %mask = llvm.icmp "slt" %i, %n : i32
    %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %po = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %a = lane.load %px, pred %mask, other %zeros : !llvm.ptr<1> -> vector<4xf32>
    %b = lane.load %py, pred %mask, other %zeros : !llvm.ptr<1> -> vector<4xf32>
    %sum = llvm.fadd %a, %b : vector<4xf32>
    lane.store %po, %sum, pred %mask : !llvm.ptr<1>, vector<4xf32>)"};
}

class EachTarget : public testing::TestWithParam<const char *> {};

TEST_P(EachTarget, VectorAddWithMaskedTail) {
  auto kernel = compile(vectorAdd(GetParam()));
  EXPECT_EQ(kernel->name(), "kernel");
  std::vector<float> x(10000), y(10000), out(10000);
  std::iota(x.begin(), x.end(), 0.0f);
  std::iota(y.begin(), y.end(), 7.0f);
  uint32_t perBlock = std::string(GetParam()) == "gfx950" ? 1024 : 512;
  LaunchResult result =
      kernel->launch({(10000 + perBlock - 1) / perBlock, 1, 1},
                     {array("x", x, "float32"), array("y", y, "float32"), array("out", out, "float32"), scalar(10000)});
  EXPECT_EQ(textOf(result), "ok");
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], x[i] + y[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(Emulator, EachTarget, testing::Values("sm_80", "sm_90a", "gfx942", "gfx950"));

TEST(Emulator, GridIndicesAndSizes) {
  auto kernel = compile({.parameters = "%out: !llvm.ptr<1>", .body = R"(
    %x = nvvm.read.ptx.sreg.ctaid.x : i32
    %y = nvvm.read.ptx.sreg.ctaid.y : i32
    %z = nvvm.read.ptx.sreg.ctaid.z : i32
    %nx = nvvm.read.ptx.sreg.nctaid.x : i32
    %ny = nvvm.read.ptx.sreg.nctaid.y : i32
    %nz = nvvm.read.ptx.sreg.nctaid.z : i32
    %zy = llvm.mul %z, %ny : i32
    %zy1 = llvm.add %zy, %y : i32
    %row = llvm.mul %zy1, %nx : i32
    %i = llvm.add %row, %x : i32
    %p = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %c = llvm.add %i, %nz : i32
    lane.store %p, %c : !llvm.ptr<1>, i32)"});
  std::vector<int32_t> out(24, -1);
  EXPECT_EQ(textOf(kernel->launch({4, 3, 2}, {array("out", out, "int32")})), "ok");
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(out[size_t(i)], i + 2);
  EXPECT_EQ(textOf(kernel->launch({0, 1, 1}, {array("out", out, "int32")})), "ok");
}

TEST(Emulator, ScalarArgumentsOfEveryWidth) {
  auto kernel = compile({.parameters = "%out: !llvm.ptr<1>, %a: i1, %b: i8, %c: i16, %d: i64, %e: f16, %f: f32, "
                                       "%g: f64, %h: bf16",
                         .body = R"(
    %a64 = llvm.zext %a : i1 to i64
    %b64 = llvm.sext %b : i8 to i64
    %c64 = llvm.sext %c : i16 to i64
    %ab = llvm.add %a64, %b64 : i64
    %abc = llvm.add %ab, %c64 : i64
    %abcd = llvm.add %abc, %d : i64
    %ints = llvm.sitofp %abcd : i64 to f64
    %e64 = llvm.fpext %e : f16 to f64
    %f64 = llvm.fpext %f : f32 to f64
    %h64 = llvm.fpext %h : bf16 to f64
    %s0 = llvm.fadd %ints, %e64 : f64
    %s1 = llvm.fadd %s0, %f64 : f64
    %s2 = llvm.fadd %s1, %g : f64
    %s3 = llvm.fadd %s2, %h64 : f64
    lane.store %out, %s3 : !llvm.ptr<1>, f64)"});
  std::vector<double> out(1);
  LaunchResult result = kernel->launch({1, 1, 1}, {array("out", out, "float64"), scalar(1), scalar(uint8_t(-3)),
                                                   scalar(uint16_t(-500)), scalar(uint64_t(1) << 40),
                                                   scalar(0x3c00 /* 1.0 */), scalar(std::bit_cast<uint32_t>(0.5f)),
                                                   scalar(std::bit_cast<uint64_t>(0.25)), scalar(0x3e00 /* 0.125 */)});
  EXPECT_EQ(textOf(result), "ok");
  EXPECT_EQ(out[0], double(1 - 3 - 500) + double(uint64_t(1) << 40) + 1.0 + 0.5 + 0.25 + 0.125);
}

TEST(Emulator, AtomicsAddUpOverThreads) {
  auto kernel = compile({.numWarps = 4, .parameters = "%sum: !llvm.ptr<1>, %count: !llvm.ptr<1>", .body = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %one = llvm.mlir.constant(1.0 : f32) : f32
    %c = llvm.mlir.constant(1 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %low = llvm.and %tid, %three : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %quarter = llvm.icmp "eq" %low, %zero : i32
    %old = lane.atomic_rmw fadd relaxed gpu, %sum, %one : !llvm.ptr<1>, f32
    %old2 = lane.atomic_rmw add acq_rel gpu, %count, %c, pred %quarter : !llvm.ptr<1>, i32)"});
  std::vector<float> sum(1);
  std::vector<int32_t> count(1);
  EXPECT_EQ(textOf(kernel->launch({100, 1, 1}, {array("sum", sum, "float32"), array("count", count, "int32")},
                                  {.threads = 4})),
            "ok");
  EXPECT_EQ(sum[0], 12800);
  EXPECT_EQ(count[0], 3200);
}

TEST(Emulator, CompareAndSwapReturnsTheOldValue) {
  auto kernel = compile({.parameters = "%x: !llvm.ptr<1>, %out: !llvm.ptr<1>", .body = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %p = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %next = llvm.mlir.constant(1 : i32) : i32
    %v = llvm.add %tid, %next : i32
    %old = lane.atomic_cas acq_rel gpu, %x, %tid, %v : !llvm.ptr<1>, i32
    lane.store %p, %old : !llvm.ptr<1>, i32)"});
  std::vector<int32_t> x(1), out(32);
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("x", x, "int32"), array("out", out, "int32")})), "ok");
  EXPECT_EQ(x[0], 32);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[size_t(i)], i);
}

TEST(Emulator, MaskedReadWithoutOtherIsNaN) {
  auto kernel = compile({.parameters = "%x: !llvm.ptr<1>, %out: !llvm.ptr<1>", .body = R"(
    %no = llvm.mlir.constant(false) : i1
    %v = lane.load %x, pred %no : !llvm.ptr<1> -> f32
    lane.store %out, %v : !llvm.ptr<1>, f32)"});
  std::vector<float> x(1), out(1);
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("x", x, "float32"), array("out", out, "float32")})), "ok");
  EXPECT_TRUE(std::isnan(out[0]));
}

TEST(Emulator, UnwrittenSharedMemoryIsNaN) {
  auto kernel = compile({.sharedBytes = 128, .parameters = "%out: !llvm.ptr<1>", .body = R"(
    %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %v = llvm.load %s : !llvm.ptr<3> -> f32
    %one = llvm.mlir.constant(1.0 : f32) : f32
    lane.store %out, %v : !llvm.ptr<1>, f32
    nvvm.barrier0
    llvm.store %one, %s : f32, !llvm.ptr<3>)"});
  std::vector<float> out(1);
  // The second block must not see the values that the first has written.
  EXPECT_EQ(textOf(kernel->launch({2, 1, 1}, {array("out", out, "float32")}, {.threads = 1, .races = false})), "ok");
  EXPECT_TRUE(std::isnan(out[0]));
}

TEST(Emulator, LanesGetTheStackTheyNeed) {
  // Each lane uses 1 MiB of stack, and all lanes use it at once.
  auto kernel = compile({.numWarps = 2, .parameters = "%out: !llvm.ptr<1>", .body = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %size = llvm.mlir.constant(262144 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %memory = llvm.alloca %size x i32 : (i32) -> !llvm.ptr
    llvm.br ^loop(%zero : i32)
  ^loop(%i: i32):
    %p = llvm.getelementptr %memory[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %v = llvm.add %i, %tid : i32
    llvm.store volatile %v, %p : i32, !llvm.ptr
    %next = llvm.add %i, %one : i32
    %more = llvm.icmp "slt" %next, %size : i32
    llvm.cond_br %more, ^loop(%next : i32), ^done
  ^done:
    nvvm.barrier0
    %w = llvm.load volatile %memory : !llvm.ptr -> i32
    %q = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    lane.store %q, %w : !llvm.ptr<1>, i32)"});
  std::vector<int32_t> out(64);
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("out", out, "int32")})), "ok");
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[size_t(i)], i);
}

TEST(Emulator, UnknownOperationIsNamed) {
  EXPECT_EQ(compileError({.parameters = "", .body = "nvvm.cp.async.commit.group loc(\"k.py\":3:5)"}),
            "loc(\"k.py\":3:5): the emulator does not support the operation nvvm.cp.async.commit.group");
  EXPECT_EQ(compileError({.parameters = "%x: !llvm.ptr<1>",
                          .body = "%v = llvm.load %x : !llvm.ptr<1> -> f32 loc(\"k.py\":4:5)"}),
            "loc(\"k.py\":4:5): the emulator cannot check this access; global memory is accessed by lane operations");
  EXPECT_EQ(compileError({.parameters = "",
                          .body = "llvm.inline_asm has_side_effects \"membar.gl;\", \"\" : () -> () "
                                  "loc(\"k.py\":5:1)"}),
            "loc(\"k.py\":5:1): the emulator cannot run inline assembly");
}

TEST(Emulator, RepeatedAndConcurrentLaunches) {
  auto kernel = compile(vectorAdd("sm_90a"));
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      std::vector<float> x(512, 1.0f), y(512, 2.0f), out(512);
      for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("x", x, "float32"), array("y", y, "float32"),
                                                    array("out", out, "float32"), scalar(512)})),
                  "ok");
        EXPECT_EQ(out[511], 3.0f);
      }
    });
}

} // namespace
