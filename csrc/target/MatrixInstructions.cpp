//===- MatrixInstructions.cpp - Table of MFMA instructions ------------------------===//
#include "target/MatrixInstructions.h"

#include <algorithm>

namespace hocket {

using enum NumberFormat;

static constexpr bool kYes = true, kNo = false;

static constexpr MfmaInstruction kInstructions[] = {
    // ROCDL operation                    m   n   k  blocks  a     b    accumulator    per lane  CDNA3 CDNA4
    {"rocdl.mfma.f32.32x32x8f16", 32, 32, 8, 1, F16, F16, F32, 4, kYes, kYes},
    {"rocdl.mfma.f32.16x16x16f16", 16, 16, 16, 1, F16, F16, F32, 4, kYes, kYes},
    {"rocdl.mfma.f32.32x32x16.f16", 32, 32, 16, 1, F16, F16, F32, 8, kNo, kYes},
    {"rocdl.mfma.f32.16x16x32.f16", 16, 16, 32, 1, F16, F16, F32, 8, kNo, kYes},
    {"rocdl.mfma.f32.4x4x4f16", 64, 4, 4, 16, F16, F16, F32, 4, kYes, kYes},
    {"rocdl.mfma.f32.4x4x4f16", 4, 64, 4, 16, F16, F16, F32, 4, kYes, kYes},
    {"rocdl.mfma.f32.4x4x4f16", 4, 4, 64, 16, F16, F16, F32, 4, kYes, kYes},

    {"rocdl.mfma.f32.32x32x8bf16.1k", 32, 32, 8, 1, BF16, BF16, F32, 4, kYes, kYes},
    {"rocdl.mfma.f32.16x16x16bf16.1k", 16, 16, 16, 1, BF16, BF16, F32, 4, kYes, kYes},
    {"rocdl.mfma.f32.32x32x16.bf16", 32, 32, 16, 1, BF16, BF16, F32, 8, kNo, kYes},
    {"rocdl.mfma.f32.16x16x32.bf16", 16, 16, 32, 1, BF16, BF16, F32, 8, kNo, kYes},
    {"rocdl.mfma.f32.4x4x4bf16.1k", 64, 4, 4, 16, BF16, BF16, F32, 4, kYes, kYes},
    {"rocdl.mfma.f32.4x4x4bf16.1k", 4, 64, 4, 16, BF16, BF16, F32, 4, kYes, kYes},
    {"rocdl.mfma.f32.4x4x4bf16.1k", 4, 4, 64, 16, BF16, BF16, F32, 4, kYes, kYes},

    {"rocdl.mfma.i32.32x32x16.i8", 32, 32, 16, 1, I8, I8, I32, 8, kYes, kYes},
    {"rocdl.mfma.i32.16x16x32.i8", 16, 16, 32, 1, I8, I8, I32, 8, kYes, kYes},
    {"rocdl.mfma.i32.32x32x32.i8", 32, 32, 32, 1, I8, I8, I32, 16, kNo, kYes},
    {"rocdl.mfma.i32.16x16x64.i8", 16, 16, 64, 1, I8, I8, I32, 16, kNo, kYes},
    {"rocdl.mfma.i32.4x4x4i8", 64, 4, 4, 16, I8, I8, I32, 4, kYes, kYes},
    {"rocdl.mfma.i32.4x4x4i8", 4, 64, 4, 16, I8, I8, I32, 4, kYes, kYes},
    {"rocdl.mfma.i32.4x4x4i8", 4, 4, 64, 16, I8, I8, I32, 4, kYes, kYes},

    {"rocdl.mfma.f32.32x32x2f32", 32, 32, 2, 1, F32, F32, F32, 1, kYes, kYes},
    {"rocdl.mfma.f32.16x16x4f32", 16, 16, 4, 1, F32, F32, F32, 1, kYes, kYes},
    {"rocdl.mfma.f32.32x32x4.xf32", 32, 32, 4, 1, F32, F32, F32, 2, kYes, kNo},
    {"rocdl.mfma.f32.16x16x8.xf32", 16, 16, 8, 1, F32, F32, F32, 2, kYes, kNo},
    {"rocdl.mfma.f32.4x4x1f32", 64, 4, 1, 16, F32, F32, F32, 1, kYes, kYes},
    {"rocdl.mfma.f32.4x4x1f32", 4, 64, 1, 16, F32, F32, F32, 1, kYes, kYes},
    {"rocdl.mfma.f32.4x4x1f32", 4, 4, 16, 16, F32, F32, F32, 1, kYes, kYes},

    {"rocdl.mfma.f64.16x16x4f64", 16, 16, 4, 1, F64, F64, F64, 1, kYes, kYes},

    {"rocdl.mfma.f32.32x32x16.fp8.fp8", 32, 32, 16, 1, E4M3Fnuz, E4M3Fnuz, F32, 8, kYes, kNo},
    {"rocdl.mfma.f32.32x32x16.fp8.bf8", 32, 32, 16, 1, E4M3Fnuz, E5M2Fnuz, F32, 8, kYes, kNo},
    {"rocdl.mfma.f32.32x32x16.bf8.fp8", 32, 32, 16, 1, E5M2Fnuz, E4M3Fnuz, F32, 8, kYes, kNo},
    {"rocdl.mfma.f32.32x32x16.bf8.bf8", 32, 32, 16, 1, E5M2Fnuz, E5M2Fnuz, F32, 8, kYes, kNo},
    {"rocdl.mfma.f32.16x16x32.fp8.fp8", 16, 16, 32, 1, E4M3Fnuz, E4M3Fnuz, F32, 8, kYes, kNo},
    {"rocdl.mfma.f32.16x16x32.fp8.bf8", 16, 16, 32, 1, E4M3Fnuz, E5M2Fnuz, F32, 8, kYes, kNo},
    {"rocdl.mfma.f32.16x16x32.bf8.fp8", 16, 16, 32, 1, E5M2Fnuz, E4M3Fnuz, F32, 8, kYes, kNo},
    {"rocdl.mfma.f32.16x16x32.bf8.bf8", 16, 16, 32, 1, E5M2Fnuz, E5M2Fnuz, F32, 8, kYes, kNo},

    {"rocdl.mfma.f32.32x32x16.fp8.fp8", 32, 32, 16, 1, E4M3, E4M3, F32, 8, kNo, kYes},
    {"rocdl.mfma.f32.32x32x16.fp8.bf8", 32, 32, 16, 1, E4M3, E5M2, F32, 8, kNo, kYes},
    {"rocdl.mfma.f32.32x32x16.bf8.fp8", 32, 32, 16, 1, E5M2, E4M3, F32, 8, kNo, kYes},
    {"rocdl.mfma.f32.32x32x16.bf8.bf8", 32, 32, 16, 1, E5M2, E5M2, F32, 8, kNo, kYes},
    {"rocdl.mfma.f32.16x16x32.fp8.fp8", 16, 16, 32, 1, E4M3, E4M3, F32, 8, kNo, kYes},
    {"rocdl.mfma.f32.16x16x32.fp8.bf8", 16, 16, 32, 1, E4M3, E5M2, F32, 8, kNo, kYes},
    {"rocdl.mfma.f32.16x16x32.bf8.fp8", 16, 16, 32, 1, E5M2, E4M3, F32, 8, kNo, kYes},
    {"rocdl.mfma.f32.16x16x32.bf8.bf8", 16, 16, 32, 1, E5M2, E5M2, F32, 8, kNo, kYes},
};

static constexpr ScaledMfmaInstruction kScaledInstructions[] = {
    {"rocdl.mfma.scale.f32.16x16x128.f8f6f4", 16, 16, 128},
    {"rocdl.mfma.scale.f32.32x32x64.f8f6f4", 32, 32, 64},
};

std::string_view mfmaVersionName(int version) {
  constexpr std::string_view kNames[] = {"gfx908", "gfx90a", "CDNA3", "CDNA4"};
  return kNames[version - 1];
}

// Source: "AMD Instinct MI100" and "MI200" instruction set references, chapter "Matrix arithmetic". The shapes with an
// m or n of 4 use the instruction with 16 blocks of 4 x 4. In the shapes 64 x 4 and 4 x 64, the blocks are side by
// side. In the shape 4 x 4, the blocks are along K, so k is 16 times the extent of one block along K.
static constexpr MfmaShape kOlderShapes[] = {
    {32, 32, 2}, {32, 32, 4}, {32, 32, 8}, {16, 16, 4}, {16, 16, 8}, {16, 16, 16}, {64, 4, 1}, {64, 4, 2},
    {64, 4, 4},  {4, 64, 1},  {4, 64, 2},  {4, 64, 4},  {4, 4, 16},  {4, 4, 32},   {4, 4, 64},
};

std::span<const MfmaShape> olderMfmaShapes() { return kOlderShapes; }

static bool isOlder(int version) { return version == 1 || version == 2; }

std::span<const MfmaInstruction> allMfmaInstructions() { return kInstructions; }
std::span<const ScaledMfmaInstruction> allScaledMfmaInstructions() { return kScaledInstructions; }

const MfmaInstruction *findMfma(int version, int64_t m, int64_t n, int64_t k, NumberFormat a, NumberFormat b) {
  for (const MfmaInstruction &known : kInstructions)
    if (known.isOn(version) && known.m == m && known.n == n && known.k == k && known.a == a && known.b == b)
      return &known;
  return nullptr;
}

const ScaledMfmaInstruction *findScaledMfma(int version, int64_t m, int64_t n, int64_t k) {
  for (const ScaledMfmaInstruction &known : kScaledInstructions)
    if (version == 4 && known.m == m && known.n == n && known.k == k)
      return &known;
  return nullptr;
}

bool hasMfma(int version, NumberFormat a, NumberFormat b) {
  return std::ranges::any_of(
      kInstructions, [&](const MfmaInstruction &known) { return known.isOn(version) && known.a == a && known.b == b; });
}

bool hasMfmaShape(int version, int64_t m, int64_t n, int64_t k) {
  if (isOlder(version))
    return std::ranges::any_of(kOlderShapes,
                               [&](const MfmaShape &known) { return known.m == m && known.n == n && known.k == k; });
  return findScaledMfma(version, m, n, k) || std::ranges::any_of(kInstructions, [&](const MfmaInstruction &known) {
           return known.isOn(version) && known.m == m && known.n == n && known.k == k;
         });
}

} // namespace hocket
