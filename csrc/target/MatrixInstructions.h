//===- MatrixInstructions.h - The matrix instructions (MFMA) of CDNA GPUs ---------===//
//
// An MFMA multiplies an M x K by a K x N matrix that the 64 lanes of a wave hold together, and adds to an M x N matrix
// of accumulators. The table below is all that the compiler knows about them; what each lane holds follows from M, N
// and the accumulator's width (layout/MfmaLayouts.h).
//
// The small shapes are three uses of one instruction that multiplies 16 blocks of 4 x 4, four lanes each:
//
//   64 x 4    blocks are 16 row groups of a; b is the same in all of them
//   4 x 64    blocks are 16 column groups of b; a is the same in all of them
//   4 x 4     blocks are 16 parts of K, whose products have to be added up afterwards
//
// "AMD Instinct MI300" (CDNA3) and "CDNA4" ISA guides, chapter "Matrix Arithmetic Instructions".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_MATRIXINSTRUCTIONS_H
#define HOCKET_TARGET_MATRIXINSTRUCTIONS_H

#include "target/TargetInfo.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace hocket {

/// What an operand holds. CDNA3 reads 8-bit floats in the FNUZ encodings, CDNA4 in those of OCP.
enum class MfmaElement : uint8_t { F64, F32, F16, BF16, I8, E4M3Fnuz, E5M2Fnuz, E4M3, E5M2 };
unsigned bitsOf(MfmaElement element);

enum class MfmaAccumulator : uint8_t { F32, I32, F64 };

struct MfmaInstruction {
  /// The ROCDL operation.
  std::string_view name;
  /// Size of one result, and how far along K one instruction goes.
  int m, n, k;
  /// Independent products in the hardware: 1, or 16 for the small shapes.
  int blocks;
  MfmaElement a, b;
  MfmaAccumulator accumulator;
  /// Consecutive elements along K that one lane gives for each operand ("kBase").
  int elementsPerLane;
  bool onCdna3, onCdna4;

  bool isOn(int version) const { return version == 3 ? onCdna3 : version == 4 && onCdna4; }
};

/// f8f6f4: operands of 8, 6 or 4 bits, with a scale per 32 elements along K. CDNA4 only.
struct ScaledMfmaInstruction {
  std::string_view name;
  int m, n, k;
};
/// Elements along K that share a scale.
inline constexpr int kElementsPerScale = 32;

/// The shape of an instruction.
struct MfmaShape {
  int m, n, k;
};
/// Of generations 1 (gfx908) and 2 (gfx90a), which hocket does not compile for: their layouts can be looked at.
std::span<const MfmaShape> olderMfmaShapes();

/// The generation of matrix cores, which is `version` of an MFMA layout: 3 for CDNA3, 4 for CDNA4; 0 for other targets.
int mfmaVersionOf(const TargetInfo &target);
/// "CDNA3", "CDNA4"; "gfx908", "gfx90a" for 1 and 2.
std::string_view mfmaVersionName(int version);

std::span<const MfmaInstruction> allMfmaInstructions();
std::span<const ScaledMfmaInstruction> allScaledMfmaInstructions();

/// Null where the generation has no such instruction. f32 operands in the shapes 16x16x8 and 32x32x4 mean xf32: their
/// multiplier sees only the upper 10 bits of the fraction.
const MfmaInstruction *findMfma(int version, int64_t m, int64_t n, int64_t k, MfmaElement a, MfmaElement b);
const ScaledMfmaInstruction *findScaledMfma(int version, int64_t m, int64_t n, int64_t k);

/// Whether the generation multiplies these elements, in any shape.
bool hasMfma(int version, MfmaElement a, MfmaElement b);
/// Whether the generation has instructions of this shape, for any elements.
bool hasMfmaShape(int version, int64_t m, int64_t n, int64_t k);

} // namespace hocket

#endif
