//===- WgmmaInstructions.cpp - Table of wgmma instructions ------------------------===//
#include "target/WgmmaInstructions.h"

#include <algorithm>
#include <charconv>

namespace hocket {

using enum NumberFormat;

namespace {
struct Kind {
  NumberFormat a, b;
  NumberFormat sum;
  std::string_view types;
};
} // namespace

static constexpr Kind kKinds[] = {
    {F16, F16, NumberFormat::F32, ".f32.f16.f16"},     {F16, F16, NumberFormat::F16, ".f16.f16.f16"},
    {BF16, BF16, NumberFormat::F32, ".f32.bf16.bf16"}, {TF32, TF32, NumberFormat::F32, ".f32.tf32.tf32"},
    {E4M3, E4M3, NumberFormat::F32, ".f32.e4m3.e4m3"}, {E4M3, E5M2, NumberFormat::F32, ".f32.e4m3.e5m2"},
    {E5M2, E4M3, NumberFormat::F32, ".f32.e5m2.e4m3"}, {E5M2, E5M2, NumberFormat::F32, ".f32.e5m2.e5m2"},
    {I8, I8, NumberFormat::I32, ".s32.s8.s8"},         {I8, U8, NumberFormat::I32, ".s32.s8.u8"},
    {U8, I8, NumberFormat::I32, ".s32.u8.s8"},         {U8, U8, NumberFormat::I32, ".s32.u8.u8"},
};

static const Kind *findKind(NumberFormat a, NumberFormat b, NumberFormat sum) {
  auto found =
      std::ranges::find_if(kKinds, [&](const Kind &known) { return known.a == a && known.b == b && known.sum == sum; });
  return found == std::end(kKinds) ? nullptr : found;
}

std::string WgmmaInstruction::name() const {
  return "m64n" + std::to_string(n) + "k" + std::to_string(k()) + std::string(findKind(a, b, sum)->types);
}

bool isWgmma(NumberFormat a, NumberFormat b, NumberFormat sum) { return findKind(a, b, sum) != nullptr; }

bool hasWgmmaColumns(NumberFormat sum, int n) {
  constexpr int kOddStep = 24; // besides 8, the only N that integer wgmmas allow and that is not a multiple of 16
  if (n < 8 || n > kMostWgmmaColumns || n % 8 != 0)
    return false;
  return sum != NumberFormat::I32 || n == 8 || n == kOddStep || n % 16 == 0;
}

std::optional<WgmmaInstruction> findWgmma(std::string_view name) {
  constexpr std::string_view kRows = "m64n";
  int n = 0;
  if (!name.starts_with(kRows) ||
      std::from_chars(name.data() + kRows.size(), name.data() + name.size(), n).ec != std::errc())
    return std::nullopt;
  for (const Kind &kind : kKinds)
    if (WgmmaInstruction instruction{kind.a, kind.b, kind.sum, n};
        hasWgmmaColumns(kind.sum, n) && instruction.name() == name)
      return instruction;
  return std::nullopt;
}

} // namespace hocket
