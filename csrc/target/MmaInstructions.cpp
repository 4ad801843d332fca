//===- MmaInstructions.cpp - Table of mma.sync instructions -----------------------===//
#include "target/MmaInstructions.h"

#include <algorithm>

namespace hocket {

using enum NumberFormat;

static constexpr MmaInstruction kInstructions[] = {
    {"mma.m16n8k16.row.col.f32.f32", 16, F16, F16},
    {"mma.m16n8k16.row.col.bf16", 16, BF16, BF16},
    {"mma.m16n8k8.row.col.tf32", 8, TF32, TF32},
    {"mma.m16n8k32.row.col.s8", 32, I8, I8},
    {"mma.m16n8k32.row.col.s8.u8", 32, I8, U8},
    {"mma.m16n8k32.row.col.u8.s8", 32, U8, I8},
    {"mma.m16n8k32.row.col.u8", 32, U8, U8},
    {"mma.m16n8k32.row.col.f32.e4m3.e4m3.f32", 32, E4M3, E4M3},
    {"mma.m16n8k32.row.col.f32.e4m3.e5m2.f32", 32, E4M3, E5M2},
    {"mma.m16n8k32.row.col.f32.e5m2.e4m3.f32", 32, E5M2, E4M3},
    {"mma.m16n8k32.row.col.f32.e5m2.e5m2.f32", 32, E5M2, E5M2},
};

std::span<const MmaInstruction> allMma() { return kInstructions; }

const MmaInstruction *findMma(NumberFormat a, NumberFormat b) {
  auto found =
      std::ranges::find_if(kInstructions, [&](const MmaInstruction &known) { return known.a == a && known.b == b; });
  return found == std::end(kInstructions) ? nullptr : found;
}

const MmaInstruction *findMma(std::string_view name) {
  auto found = std::ranges::find(kInstructions, name, &MmaInstruction::name);
  return found == std::end(kInstructions) ? nullptr : found;
}

bool hasMma(const TargetInfo &target, const MmaInstruction &instruction) {
  return isFloat8(instruction.a) ? target.hasMmaFloat8 : target.hasMmaSync;
}

} // namespace hocket
