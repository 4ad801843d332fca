//===- MmaInstructions.h - The mma.sync instructions of NVIDIA GPUs ---------------===//
//
// An mma.sync multiplies a 16 x K matrix by a K x 8 matrix, both distributed over the 32 lanes of a warp, and adds the
// result to a 16 x 8 matrix of accumulators. K is the number of elements in 32 bytes. Each lane holds 4 registers (of 4
// bytes) of operand a, 2 registers of operand b, and 4 accumulators. layout/NvidiaMmaLayouts.h defines which elements
// each lane holds.
//
// PTX ISA 9.0, "Warp Level Matrix Instructions: mma".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_MMAINSTRUCTIONS_H
#define HOCKET_TARGET_MMAINSTRUCTIONS_H

#include "target/NumberFormats.h"
#include "target/TargetInfo.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace hocket {

struct MmaInstruction {
  /// Name of the LLVM intrinsic, without the prefix "llvm.nvvm.".
  std::string_view name;
  int k;
  NumberFormat a, b;

  /// Returns the number of operand elements in a register of 4 bytes.
  int elementsPerWord() const { return k / 8; }
};

inline constexpr int kMmaRows = 16, kMmaColumns = 8;
/// Numbers of 4-byte registers per lane for operand a, for operand b and for the accumulators.
inline constexpr int kMmaWordsOfA = 4, kMmaWordsOfB = 2, kMmaAccumulators = 4;

std::span<const MmaInstruction> allMma();
/// Returns the mma.sync for operands of types `a` and `b`; null if no such mma.sync exists.
const MmaInstruction *findMma(NumberFormat a, NumberFormat b);
/// Returns the mma.sync with the intrinsic name `name`.
const MmaInstruction *findMma(std::string_view name);
/// True if `target` has `instruction`. Ada, Hopper and later architectures have mma.syncs of 8-bit floats.
bool hasMma(const TargetInfo &target, const MmaInstruction &instruction);

} // namespace hocket

#endif
