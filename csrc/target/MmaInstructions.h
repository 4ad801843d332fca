//===- MmaInstructions.h - The mma.sync instructions of NVIDIA GPUs ---------------===//
//
// An mma.sync multiplies a 16 x K matrix by a K x 8 matrix, both distributed over the 32 lanes of a warp, and adds the
// result to a 16 x 8 matrix of accumulators. K elements take 32 bytes: each lane holds 4 registers (of 4 bytes) of
// operand a, 2 of b, and 4 accumulators. layout/NvidiaMmaLayouts.h defines which elements each lane holds.
//
// PTX ISA 9.0, "Warp Level Matrix Instructions: mma".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_MMAINSTRUCTIONS_H
#define HOCKET_TARGET_MMAINSTRUCTIONS_H

#include "target/TargetInfo.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace hocket {

/// Element type of an operand. TF32 is a float32 of which the tensor cores read the upper 10 bits of the fraction.
enum class MmaElement : uint8_t { F16, BF16, TF32, S8, U8, E4M3, E5M2 };
unsigned bitsOf(MmaElement element);
inline constexpr bool isInteger(MmaElement element) { return element == MmaElement::S8 || element == MmaElement::U8; }
inline constexpr bool isFloat8(MmaElement element) {
  return element == MmaElement::E4M3 || element == MmaElement::E5M2;
}

struct MmaInstruction {
  /// Name of the LLVM intrinsic, without the prefix "llvm.nvvm.".
  std::string_view name;
  int k;
  MmaElement a, b;

  /// Returns the number of elements in a register of 4 bytes.
  int elementsPerWord() const { return k / 8; }
};

inline constexpr int kMmaRows = 16, kMmaColumns = 8;
/// Numbers of 4-byte registers that a lane holds of operand a, of operand b and of the accumulators.
inline constexpr int kMmaWordsOfA = 4, kMmaWordsOfB = 2, kMmaAccumulators = 4;

std::span<const MmaInstruction> allMma();
/// Returns the instruction for these operands; null if there is none.
const MmaInstruction *findMma(MmaElement a, MmaElement b);
/// Returns the instruction with this name.
const MmaInstruction *findMma(std::string_view name);
/// True if `target` has the instruction: 8-bit floats exist from Ada and Hopper on.
bool hasMma(const TargetInfo &target, const MmaInstruction &instruction);

} // namespace hocket

#endif
