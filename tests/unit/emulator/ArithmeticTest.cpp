//===- ArithmeticTest.cpp - Arithmetic as a GPU does it --------------------------------------------===//
#include "TestKernel.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace hocket;

namespace {

/// out = op(a, b) of 32-bit integers, at k.py:2:7.
TestKernel binary(const std::string &op) {
  return {.parameters = "%out: !llvm.ptr<1>, %a: i32, %b: i32",
          .body = "%v = llvm." + op + " %a, %b : i32 loc(\"k.py\":2:7)\nlane.store %out, %v : !llvm.ptr<1>, i32"};
}

struct Outcome {
  std::string text;
  int32_t value;
};

Outcome run(const std::string &op, int32_t a, int32_t b) {
  std::vector<int32_t> out(1);
  auto kernel = compile(binary(op));
  std::string text =
      textOf(kernel->launch({1, 1, 1}, {array("out", out, "int32"), scalar(uint32_t(a)), scalar(uint32_t(b))}));
  return {text, out[0]};
}

TEST(Arithmetic, DivisionByZeroIsAnError) {
  for (const char *op : {"sdiv", "udiv", "srem", "urem"})
    EXPECT_EQ(run(op, 7, 0).text, "k.py:2:7: error: integer division by zero\n"
                                  "  at: block (0, 0, 0), warp 0, lane 0");
}

TEST(Arithmetic, Divisions) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(run("sdiv", -7, 2).value, -3);
  EXPECT_EQ(run("srem", -7, 2).value, -1);
  EXPECT_EQ(run("udiv", -1, 2).value, 0x7fffffff);
  EXPECT_EQ(run("urem", 7, -1).value, 7);
  EXPECT_EQ(run("sdiv", 9, -1).value, -9);
  EXPECT_EQ(run("sdiv", kMin, -1).value, kMin);
  EXPECT_EQ(run("srem", kMin, -1).value, 0);
}

TEST(Arithmetic, ConversionsSaturate) {
  auto kernel = compile({.parameters = "%out: !llvm.ptr<1>, %a: f32", .body = R"(
    %s = lane.float_to_int %a : f32 -> i32
    %u = lane.float_to_int unsigned %a : f32 -> i32
    %q = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    lane.store %out, %s : !llvm.ptr<1>, i32
    lane.store %q, %u : !llvm.ptr<1>, i32)"});
  auto convert = [&](float value) {
    std::vector<int32_t> out(2);
    EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("out", out, "int32"), scalar(std::bit_cast<uint32_t>(value))})),
              "ok");
    return std::pair(out[0], out[1]);
  };
  EXPECT_EQ(convert(-2.7f), std::pair(-2, 0));
  EXPECT_EQ(convert(1e20f), std::pair(0x7fffffff, -1));
  EXPECT_EQ(convert(NAN), std::pair(0, 0));
}

TEST(Arithmetic, MathFunctionsAndVendorOperations) {
  struct Case {
    const char *target, *op;
    float argument, expected;
  };
  for (Case c : {Case{"sm_90a", "llvm.intr.exp2(%a) : (f32) -> f32", 3, 8},
                 Case{"sm_90a", "llvm.intr.sin(%a) : (f32) -> f32", 1, std::sin(1.0f)},
                 Case{"sm_90a", "llvm.intr.log(%a) : (f32) -> f32", 10, std::log(10.0f)},
                 Case{"sm_90a", "llvm.intr.sqrt(%a) : (f32) -> f32", 2, std::sqrt(2.0f)},
                 Case{"sm_90a", "nvvm.rcp.approx.ftz.f %a : f32", 4, 0.25f},
                 Case{"sm_90a", "llvm.call_intrinsic \"llvm.nvvm.ex2.approx.ftz.f\"(%a) : (f32) -> f32", 4, 16},
                 Case{"sm_90a", "llvm.call_intrinsic \"llvm.nvvm.rsqrt.approx.f\"(%a) : (f32) -> f32", 16, 0.25f},
                 Case{"gfx950", "llvm.call_intrinsic \"llvm.amdgcn.rcp\"(%a) : (f32) -> f32", 8, 0.125f},
                 Case{"gfx950", "rocdl.exp2 %a f32 -> f32", 5, 32}, Case{"gfx950", "rocdl.log %a f32 -> f32", 8, 3},
                 Case{"gfx950", "rocdl.sin %a f32 -> f32", 0.25f, 1}}) {
    auto kernel = compile({.target = c.target,
                           .parameters = "%out: !llvm.ptr<1>, %a: f32",
                           .body = std::string("%v = ") + c.op + "\nlane.store %out, %v : !llvm.ptr<1>, f32"});
    std::vector<float> out(1);
    EXPECT_EQ(
        textOf(kernel->launch({1, 1, 1}, {array("out", out, "float32"), scalar(std::bit_cast<uint32_t>(c.argument))})),
        "ok");
    EXPECT_FLOAT_EQ(out[0], c.expected) << c.op;
  }
}

TEST(Arithmetic, DeviceLibraryFunctions) {
  auto kernel = compile({.parameters = "%out: !llvm.ptr<1>, %a: f32",
                         .body = "%v = llvm.call @__nv_erff(%a) : (f32) -> f32\n"
                                 "lane.store %out, %v : !llvm.ptr<1>, f32",
                         .globals = "llvm.func @__nv_erff(f32) -> f32\n"});
  std::vector<float> out(1);
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("out", out, "float32"), scalar(std::bit_cast<uint32_t>(0.5f))})),
            "ok");
  EXPECT_FLOAT_EQ(out[0], std::erf(0.5f));
}

TEST(Arithmetic, NarrowFloats) {
  auto kernel = compile({.parameters = "%out: !llvm.ptr<1>, %a: f32, %b: f64", .body = R"(
    %0 = llvm.fptrunc %a : f32 to f16
    %1 = llvm.fptrunc %a : f32 to bf16
    %2 = llvm.fptrunc %b : f64 to f16
    %3 = llvm.fptrunc %b : f64 to bf16
    %4 = llvm.fadd %1, %3 : bf16
    %5 = llvm.fmul %0, %2 : f16
    %p1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i16
    %p2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i16
    %p3 = llvm.getelementptr %out[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i16
    %p4 = llvm.getelementptr %out[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i16
    %p5 = llvm.getelementptr %out[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i16
    lane.store %out, %0 : !llvm.ptr<1>, f16
    lane.store %p1, %1 : !llvm.ptr<1>, bf16
    lane.store %p2, %2 : !llvm.ptr<1>, f16
    lane.store %p3, %3 : !llvm.ptr<1>, bf16
    lane.store %p4, %4 : !llvm.ptr<1>, bf16
    lane.store %p5, %5 : !llvm.ptr<1>, f16)"});
  std::vector<uint16_t> out(6);
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("out", out, "uint16"), scalar(std::bit_cast<uint32_t>(1.5f)),
                                              scalar(std::bit_cast<uint64_t>(-2.25))})),
            "ok");
  EXPECT_EQ(out, (std::vector<uint16_t>{0x3e00, 0x3fc0, 0xc080, 0xc010, 0xbf40, 0xc2c0}));
}

} // namespace
