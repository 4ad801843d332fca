//===- MatrixInstructions.h - Matrix instructions (MFMA) of CDNA GPUs -------------===//
//
// An MFMA multiplies an M x K matrix by a K x N matrix, both distributed over the 64 lanes of a wave, and adds the
// result to an M x N matrix of accumulators. The table of MFMAs contains all facts about MFMAs that the compiler uses.
// The elements that each lane holds are not in the table: they follow from M, N and the accumulator's width
// (layout/MfmaLayouts.h).
//
// The small shapes are three uses of one instruction that multiplies 16 blocks of 4 x 4, four lanes each:
//
//   64 x 4    the blocks are 16 row groups of a; b is the same in all of them
//   4 x 64    the blocks are 16 column groups of b; a is the same in all of them
//   4 x 4     the blocks are 16 parts of K, whose results have to be added up afterwards
//
// "AMD Instinct MI300" (CDNA3) and "CDNA4" ISA guides, chapter "Matrix Arithmetic Instructions".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_MATRIXINSTRUCTIONS_H
#define HOCKET_TARGET_MATRIXINSTRUCTIONS_H

#include "target/NumberFormats.h"
#include "target/TargetInfo.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace hocket {

struct MfmaInstruction {
  /// Name of the ROCDL operation.
  std::string_view name;
  /// Shape of the instruction: the result has m x n elements, and k is the extent of the operands along K.
  int m, n, k;
  /// Number of blocks of 4 x 4 that the instruction multiplies separately: 16 for the small shapes. 1 for all other
  /// shapes.
  int blocks;
  /// Formats of operands a and b. 8-bit floats have FNUZ formats on CDNA3 and OCP formats on CDNA4.
  NumberFormat a, b;
  NumberFormat accumulator;
  /// Number of consecutive elements along K that one lane holds of each operand ("kBase" in LLVM and Triton).
  int elementsPerLane;
  bool onCdna3, onCdna4;

  bool isOn(int version) const { return version == 3 ? onCdna3 : version == 4 && onCdna4; }
};

/// A scaled MFMA (f8f6f4): operands of 8, 6 or 4 bits, with a scale per 32 elements along K. Only CDNA4 has these
/// instructions.
struct ScaledMfmaInstruction {
  std::string_view name;
  int m, n, k;
};
/// Number of consecutive elements along K to which one scale of a scaled MFMA applies.
inline constexpr int kElementsPerScale = 32;
/// A 32-bit word with four scales of value 1: each byte is 127, the biased exponent of 2^0.
inline constexpr int32_t kScalesOfOne = 0x7f7f7f7f;

/// Shape of an MFMA.
struct MfmaShape {
  int m, n, k;
};
/// Returns the MFMA shapes of generations 1 (gfx908) and 2 (gfx90a). Hocket does not compile for these generations, but
/// can show their MFMA layouts.
std::span<const MfmaShape> olderMfmaShapes();

/// Returns the name of a generation of matrix cores: "gfx908" for version 1, "gfx90a" for 2, "CDNA3" for 3 and "CDNA4"
/// for 4.
std::string_view mfmaVersionName(int version);

std::span<const MfmaInstruction> allMfmaInstructions();
std::span<const ScaledMfmaInstruction> allScaledMfmaInstructions();

/// Returns the MFMA with these properties, or null if generation `version` has no such MFMA. In the shapes 16x16x8 and
/// 32x32x4, F32 operands mean xf32: the multiplier reads only the upper 10 bits of the fraction.
const MfmaInstruction *findMfma(int version, int64_t m, int64_t n, int64_t k, NumberFormat a, NumberFormat b);
const ScaledMfmaInstruction *findScaledMfma(int version, int64_t m, int64_t n, int64_t k);

/// True if generation `version` has an MFMA for operands of types `a` and `b`, in any shape.
bool hasMfma(int version, NumberFormat a, NumberFormat b);
/// True if generation `version` has an MFMA of this shape, for any element types.
bool hasMfmaShape(int version, int64_t m, int64_t n, int64_t k);

} // namespace hocket

#endif
