//===- WgmmaInstructions.h - The wgmma instructions of Hopper --------------------------===//
//
// A wgmma multiplies a 64 x K matrix by a K x N matrix and adds the result to 64 x N accumulators, which the four warps
// of a warpgroup hold in registers, 16 rows each (layout/NvidiaMmaLayouts.h). K is the number of elements in 32 bytes.
// N is a multiple of 8 of at most 256; for integers, N is 8, 24 or a multiple of 16. Operand b is read from shared
// memory. Operand a is read from shared memory or from registers; in registers, operand a has the layout of mma.sync.
// Matrix descriptors (layout/MatrixDescriptor.h) specify the operands in shared memory. A wgmma is asynchronous: it
// reads shared memory after it has been issued.
//
// PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_WGMMAINSTRUCTIONS_H
#define HOCKET_TARGET_WGMMAINSTRUCTIONS_H

#include "layout/MatrixDescriptor.h"
#include "target/MmaInstructions.h"

#include <optional>
#include <string>

namespace hocket {

struct WgmmaInstruction {
  NumberFormat a, b;
  NumberFormat sum; ///< F32, I32 or F16; a register of 4 bytes holds two F16
  int n;

  int k() const { return int(kWgmmaDepthBytes * 8 / bitsOf(a)); }
  /// Returns the number of 4-byte accumulator registers per lane.
  int accumulators() const { return sum == NumberFormat::F16 ? n / 4 : n / 2; }
  /// Returns the PTX name of the shape and types, such as "m64n128k16.f32.f16.f16".
  std::string name() const;
};

/// Largest number of pending groups that wgmma.wait_group can specify.
inline constexpr unsigned kMostWgmmaGroups = 7;
inline constexpr int kWgmmaRows = 64;
inline constexpr int kMostWgmmaColumns = 256;
inline constexpr int kWarpsPerWarpgroup = 4;
/// Number of 4-byte registers of operand a that a lane holds, if operand a is in registers.
inline constexpr int kWgmmaWordsOfA = 4;

/// True if a wgmma with operands `a` and `b` and accumulators `sum` exists, for any N.
bool isWgmma(NumberFormat a, NumberFormat b, NumberFormat sum);
/// True if a wgmma with `n` columns and accumulators `sum` exists.
bool hasWgmmaColumns(NumberFormat sum, int n);
/// Returns the wgmma with the PTX name `name`; nullopt if there is no such wgmma.
std::optional<WgmmaInstruction> findWgmma(std::string_view name);
/// True if wgmma can read an operand with elements of type `element` from shared memory even if K is not the contiguous
/// dimension.
inline bool canTransposeWgmma(NumberFormat element) { return bitsOf(element) == 16; }

} // namespace hocket

#endif
