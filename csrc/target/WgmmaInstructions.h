//===- WgmmaInstructions.h - The matrix instructions (wgmma) of Hopper's warpgroups ----===//
//
// A wgmma multiplies a 64 x K by a K x N matrix and adds to 64 x N accumulators, which the four warps of a warpgroup
// hold in registers: 16 rows each, as layout/NvidiaMmaLayouts.h says. K is 32 bytes of elements, N a multiple of 8 up
// to 256 (of integers 8, 24 or a multiple of 16). It reads b from shared memory, and a from there or from registers, as
// mma.sync does; shared memory is read through descriptors (layout/MatrixDescriptor.h), after the instruction has been
// issued.
//
// PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_WGMMAINSTRUCTIONS_H
#define HOCKET_TARGET_WGMMAINSTRUCTIONS_H

#include "target/MmaInstructions.h"

#include <optional>
#include <string>

namespace hocket {

/// What the accumulators are. A register of 4 bytes holds two F16.
enum class WgmmaSum : uint8_t { F32, F16, S32 };

struct WgmmaInstruction {
  MmaElement a, b;
  WgmmaSum sum;
  int n;

  int k() const { return int(kBytesAlongK * 8 / bitsOf(a)); }
  /// Registers of 4 bytes that a lane has of the accumulators.
  int accumulators() const { return sum == WgmmaSum::F16 ? n / 4 : n / 2; }
  /// "m64n128k16.f32.f16.f16", as PTX spells it.
  std::string name() const;

  static constexpr int kBytesAlongK = 32;
};

inline constexpr int kWgmmaRows = 64;
inline constexpr int kMostWgmmaColumns = 256;
inline constexpr int kWarpsPerWarpgroup = 4;
/// Registers of 4 bytes that a lane gives for a, if it comes from registers.
inline constexpr int kWgmmaWordsOfA = 4;

/// Whether there is such an instruction, with any N.
bool isWgmma(MmaElement a, MmaElement b, WgmmaSum sum);
/// Whether there is one with this N.
bool hasWgmmaColumns(WgmmaSum sum, int n);
/// The instruction of this name.
std::optional<WgmmaInstruction> findWgmma(std::string_view name);
/// Whether an operand of these elements can be read with K as the slower dimension, too.
inline bool canTransposeWgmma(MmaElement element) { return bitsOf(element) == 16; }
bool hasWgmma(const TargetInfo &target);

} // namespace hocket

#endif
