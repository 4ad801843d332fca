//===- MmaInstructions.h - The matrix instructions (mma.sync) of NVIDIA's GPUs ----===//
//
// An mma.sync multiplies a 16 x K by a K x 8 matrix that the 32 lanes of a warp hold together, and adds to a 16 x 8
// matrix of accumulators. K is 32 bytes of elements: each lane gives 4 registers of a and 2 of b, of 4 bytes each, and
// has 4 accumulators. What each lane holds is in layout/NvidiaMmaLayouts.h.
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

/// What an operand holds. TF32 are float32 of which the tensor cores see the 10 upper bits of the fraction.
enum class MmaElement : uint8_t { F16, BF16, TF32, S8, U8, E4M3, E5M2 };
unsigned bitsOf(MmaElement element);
inline constexpr bool isInteger(MmaElement element) { return element == MmaElement::S8 || element == MmaElement::U8; }
inline constexpr bool isFloat8(MmaElement element) {
  return element == MmaElement::E4M3 || element == MmaElement::E5M2;
}

struct MmaInstruction {
  /// LLVM's intrinsic, after "llvm.nvvm.".
  std::string_view name;
  int k;
  MmaElement a, b;

  /// Elements in 4 bytes.
  int elementsPerWord() const { return k / 8; }
};

inline constexpr int kMmaRows = 16, kMmaColumns = 8;
/// Registers of 4 bytes that a lane gives for a and for b, and gets.
inline constexpr int kMmaWordsOfA = 4, kMmaWordsOfB = 2, kMmaAccumulators = 4;

std::span<const MmaInstruction> allMma();
/// The instruction for these operands; null where there is none.
const MmaInstruction *findMma(MmaElement a, MmaElement b);
/// The instruction of this name.
const MmaInstruction *findMma(std::string_view name);
/// Whether `target` has it: 8-bit floats came with Hopper (and Ada).
bool hasMma(const TargetInfo &target, const MmaInstruction &instruction);

} // namespace hocket

#endif
