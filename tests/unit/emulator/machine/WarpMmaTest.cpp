//===- WarpMmaTest.cpp - MFMA instructions against plain loops ------------------------------------------===//
#include "Multiplication.h"
#include "TestKernel.h"

#include "emulator/machine/WarpMma.h"
#include "emulator_abi/MatrixOperations.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace hocket;
using llvm::APFloat;

namespace {

const Element kF64 = {"f64", 64, &APFloat::IEEEdouble()}, kF32 = {"f32", 32, &APFloat::IEEEsingle()},
              kXf32 = {"xf32", 32, &APFloat::IEEEsingle()}, kF16 = {"f16", 16, &APFloat::IEEEhalf()},
              kBf16 = {"bf16", 16, &APFloat::BFloat()}, kI8 = {"i8", 8, nullptr}, kI32 = {"i32", 32, nullptr},
              kFp8 = {"fp8", 8, &APFloat::Float8E4M3FN()}, kBf8 = {"bf8", 8, &APFloat::Float8E5M2()},
              kFp8Fnuz = {"fp8", 8, &APFloat::Float8E4M3FNUZ()}, kBf8Fnuz = {"bf8", 8, &APFloat::Float8E5M2FNUZ()},
              kFp6 = {"fp6", 6, &APFloat::Float6E2M3FN()}, kBf6 = {"bf6", 6, &APFloat::Float6E3M2FN()},
              kFp4 = {"fp4", 4, &APFloat::Float4E2M1FN()};

const std::string kCdna3 = "gfx942", kCdna4 = "gfx950";

std::vector<Product> plainProducts() {
  std::vector<Product> products = {
      {kCdna3, "mfma.f32.32x32x1f32", 32, 32, 1, 2, kF32, kF32, kF32, "f32", "f32", "vector<32xf32>"},
      {kCdna3, "mfma.f32.16x16x1f32", 16, 16, 1, 4, kF32, kF32, kF32, "f32", "f32", "vector<16xf32>"},
      {kCdna3, "mfma.f32.4x4x1f32", 4, 4, 1, 16, kF32, kF32, kF32, "f32", "f32", "vector<4xf32>"},
      {kCdna4, "mfma.f32.32x32x2f32", 32, 32, 2, 1, kF32, kF32, kF32, "f32", "f32", "vector<16xf32>"},
      {kCdna3, "mfma.f32.16x16x4f32", 16, 16, 4, 1, kF32, kF32, kF32, "f32", "f32", "vector<4xf32>"},
      {kCdna3, "mfma.f32.16x16x8.xf32", 16, 16, 8, 1, kXf32, kXf32, kF32, "vector<2xf32>", "vector<2xf32>",
       "vector<4xf32>"},
      {kCdna3, "mfma.f32.32x32x4.xf32", 32, 32, 4, 1, kXf32, kXf32, kF32, "vector<2xf32>", "vector<2xf32>",
       "vector<16xf32>"},
      {kCdna3, "mfma.f64.16x16x4f64", 16, 16, 4, 1, kF64, kF64, kF64, "f64", "f64", "vector<4xf64>"},
      {kCdna4, "mfma.f64.4x4x4f64", 4, 4, 4, 4, kF64, kF64, kF64, "f64", "f64", "f64"},
  };
  struct Shape {
    const char *target, *name;
    unsigned m, k, blocks;
  };
  auto add = [&](std::vector<Shape> shapes, const Element &element, const Element &result, const char *scalar) {
    for (const Shape &shape : shapes) {
      unsigned perLane = shape.m * shape.k * shape.blocks * element.bits / 64;
      std::string type = *scalar ? "vector<" + std::to_string(perLane / element.bits) + "x" + scalar + ">"
                                 : (perLane == 32   ? "i32"
                                    : perLane == 64 ? "i64"
                                                    : "vector<" + std::to_string(perLane / 32) + "xi32>");
      products.push_back({shape.target, shape.name, shape.m, shape.m, shape.k, shape.blocks, element, element, result,
                          type, type,
                          "vector<" + std::to_string(shape.m * shape.m * shape.blocks / 64) + "x" + result.name + ">"});
    }
  };
  add({{"gfx942", "mfma.f32.32x32x4f16", 32, 4, 2},
       {"gfx942", "mfma.f32.16x16x4f16", 16, 4, 4},
       {"gfx942", "mfma.f32.4x4x4f16", 4, 4, 16},
       {"gfx942", "mfma.f32.32x32x8f16", 32, 8, 1},
       {"gfx950", "mfma.f32.16x16x16f16", 16, 16, 1},
       {"gfx950", "mfma.f32.32x32x16.f16", 32, 16, 1},
       {"gfx950", "mfma.f32.16x16x32.f16", 16, 32, 1}},
      kF16, kF32, "f16");
  add({{"gfx942", "mfma.f32.32x32x4bf16.1k", 32, 4, 2},
       {"gfx942", "mfma.f32.16x16x4bf16.1k", 16, 4, 4},
       {"gfx950", "mfma.f32.4x4x4bf16.1k", 4, 4, 16},
       {"gfx942", "mfma.f32.32x32x8bf16.1k", 32, 8, 1},
       {"gfx942", "mfma.f32.16x16x16bf16.1k", 16, 16, 1}},
      kBf16, kF32, "i16");
  add({{"gfx950", "mfma.f32.32x32x16.bf16", 32, 16, 1}, {"gfx950", "mfma.f32.16x16x32.bf16", 16, 32, 1}}, kBf16, kF32,
      "bf16");
  add({{"gfx942", "mfma.i32.32x32x4i8", 32, 4, 2},
       {"gfx942", "mfma.i32.16x16x4i8", 16, 4, 4},
       {"gfx942", "mfma.i32.4x4x4i8", 4, 4, 16},
       {"gfx942", "mfma.i32.32x32x16.i8", 32, 16, 1},
       {"gfx942", "mfma.i32.16x16x32.i8", 16, 32, 1},
       {"gfx950", "mfma.i32.32x32x32.i8", 32, 32, 1},
       {"gfx950", "mfma.i32.16x16x64.i8", 16, 64, 1}},
      kI8, kI32, "");
  for (const std::string &target : {kCdna3, kCdna4})
    for (bool fpA : {true, false})
      for (bool fpB : {true, false})
        for (unsigned m : {32u, 16u}) {
          bool isFnuz = target == kCdna3;
          const Element &a = fpA ? (isFnuz ? kFp8Fnuz : kFp8) : (isFnuz ? kBf8Fnuz : kBf8);
          const Element &b = fpB ? (isFnuz ? kFp8Fnuz : kFp8) : (isFnuz ? kBf8Fnuz : kBf8);
          std::string shape = m == 32 ? "mfma.f32.32x32x16." : "mfma.f32.16x16x32.";
          products.push_back({target, shape + a.name + "." + b.name, m, m, 512 / m, 1, a, b, kF32, "i64", "i64",
                              m == 32 ? "vector<16xf32>" : "vector<4xf32>"});
        }
  return products;
}

TEST(Mfma, EveryPlainProduct) {
  for (const Product &product : plainProducts()) {
    SCOPED_TRACE(product.target + " " + product.name);
    checkMultiplication(product);
  }
}

TEST(Mfma, EveryScaledProduct) {
  struct Format {
    Element element;
    const char *type;
  };
  const Format formats[] = {{kFp8, "vector<8xi32>"},
                            {kBf8, "vector<8xi32>"},
                            {kFp6, "vector<6xi32>"},
                            {kBf6, "vector<6xi32>"},
                            {kFp4, "vector<4xi32>"}};
  for (unsigned m : {16u, 32u})
    for (int a = 0; a < 5; ++a)
      for (int b = 0; b < 5; ++b) {
        std::string name = m == 16 ? "mfma.scale.f32.16x16x128.f8f6f4" : "mfma.scale.f32.32x32x64.f8f6f4";
        SCOPED_TRACE(name + " " + formats[a].element.name + " " + formats[b].element.name);
        checkMultiplication({kCdna4, name, m, m, 2048 / m, 1, formats[a].element, formats[b].element, kF32,
                             formats[a].type, formats[b].type, m == 16 ? "vector<4xf32>" : "vector<16xf32>", true, a, b,
                             (a + b) % 4, a % 4});
      }
}

TEST(Mfma, EveryOperationIsTested) {
  std::vector<Product> products = plainProducts();
  for (const host_abi::MatrixOperation &operation : host_abi::matrixOperations())
    EXPECT_TRUE(operation.isScaled || operation.lanes == 32 || // mma.sync: tests/numerics/matrix/test_mma.py
                llvm::any_of(products, [&](const Product &product) { return product.name == operation.name; }))
        << operation.name;
}

/// A host_abi::MatrixRow in memory.
struct RowOfSteps {
  uint32_t operation, count;
  host_abi::MatrixStep steps[6];

  const host_abi::MatrixRow &row() const { return *reinterpret_cast<const host_abi::MatrixRow *>(this); }
};

/// Operands of a wave with random bits, NaNs and subnormal numbers among them.
struct Wave {
  static constexpr size_t kBytes = 8 * 128;
  std::vector<std::byte> bytes;
  std::vector<std::byte *> lanes;

  Wave(unsigned seed, unsigned laneCount) : bytes(laneCount * kBytes) {
    std::mt19937 random(seed);
    for (std::byte &byte : bytes)
      byte = std::byte(random());
    for (unsigned lane = 0; lane < laneCount; ++lane)
      lanes.push_back(bytes.data() + lane * kBytes);
  }
};

TEST(Mfma, ARowGivesWhatItsProductsGiveInTurn) {
  // Two alternating accumulators, operands that several MMAs share, an accumulator that is used again.
  constexpr uint32_t kPlaces[6][3] = {{0, 1, 4}, {0, 2, 5}, {3, 1, 4}, {3, 2, 5}, {1, 1, 6}, {2, 0, 4}};
  std::span<const host_abi::MatrixOperation> operations = host_abi::matrixOperations();
  for (uint32_t number = 0; number < operations.size(); ++number) {
    const host_abi::MatrixOperation &operation = operations[number];
    SCOPED_TRACE(operation.name);
    RowOfSteps whole = {number, 6, {}};
    Wave together(number, operation.lanes), inTurn(number, operation.lanes);
    for (unsigned i = 0; i < 6; ++i) {
      auto [a, b, c] = kPlaces[i];
      host_abi::MatrixFormats formats = {operation.a, operation.b, uint8_t(i % 4), uint8_t(i / 2)};
      if (operation.isScaled && i > 3)
        formats.a = NumberFormat::E5M2;
      whole.steps[i] = {formats.encode(), a * 128, b * 128, c * 128, 7 * 128, 7 * 128 + 4};
      RowOfSteps single = {number, 1, {whole.steps[i]}};
      emulator::multiplyMatrices(single.row(), inTurn.lanes);
    }
    emulator::multiplyMatrices(whole.row(), together.lanes);
    EXPECT_EQ(together.bytes, inTurn.bytes);
  }
}

TestKernel withFields(const std::string &target, const std::string &name, int cbsz, int blgp) {
  return {.target = target, .parameters = "%a: vector<4xf16>, %c: vector<16xf32>", .body = R"(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %cbsz = llvm.mlir.constant()" + std::to_string(cbsz) + R"( : i32) : i32
    %blgp = llvm.mlir.constant()" + std::to_string(blgp) + R"( : i32) : i32
    %d = rocdl.)" + name + R"( %a, %a, %c, %cbsz, %zero, %blgp : (vector<4xf16>, vector<4xf16>, vector<16xf32>, i32,
      i32, i32) -> vector<16xf32> loc("k.py":3:5))"};
}

TEST(Mfma, WhatIsNotThereIsNamed) {
  EXPECT_EQ(compileError(withFields(kCdna3, "mfma.f32.32x32x8f16", 1, 0)),
            "loc(\"k.py\":3:5): the emulator runs rocdl.mfma.f32.32x32x8f16 only with cbsz = 0");
  EXPECT_EQ(compileError(withFields(kCdna3, "mfma.f32.32x32x8f16", 0, 2)),
            "loc(\"k.py\":3:5): the emulator runs rocdl.mfma.f32.32x32x8f16 only with blgp = 0");
  EXPECT_EQ(compileError(withFields(kCdna3, "mfma.f32.32x32x16.f16", 0, 0)),
            "loc(\"k.py\":3:5): gfx942 has no rocdl.mfma.f32.32x32x16.f16");
  EXPECT_EQ(compileError(withFields(kCdna4, "mfma.f32.32x32x4.xf32", 0, 0)),
            "loc(\"k.py\":3:5): gfx950 has no rocdl.mfma.f32.32x32x4.xf32");
  EXPECT_EQ(compileError(withFields(kCdna4, "mfma.f32.32x32x16.f16", 0, 0)),
            "loc(\"k.py\":3:5): rocdl.mfma.f32.32x32x16.f16 takes 128 bits per lane as operand 0, not "
            "'vector<4xf16>'");
}

} // namespace
