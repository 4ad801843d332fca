//===- MatrixOperations.h - The table of matrix instructions --------------------------===//
//
// An MFMA computes A * B + C for `blocks` independent triples of matrices, where A is m x k, B is k x n, and C is m x
// n. A wave of 64 lanes holds the matrices in registers. Element i of A in lane l is in row l % m of block l / m %
// blocks. The column of the element is
//
//   kPerLane * (l / (m * blocks)) + i,   where kPerLane = m * k * blocks / 64.
//
// For B, the formulas are the same with n instead of m, and with rows and columns exchanged. For 8-bit operands of
// scaled MFMAs, the columns of A and the rows of B are divided into two halves: a lane has 16 elements (i < 16) from
// the lower half, and 16 elements from the upper half. Element r of C and of the result is in column l % n. The row of
// element r is given by the following formulas:
//
//   32x32, one block:   row = r % 4 + 4 * (l / 32) + 8 * (r / 4),
//   16x16, one block:   row = r     + 4 * (l / 16),
//   4x4, 16 blocks:     row = r, block = l / 4.
//
// NVIDIA's mma.sync has a 16 x k matrix A and a k x 8 matrix B. A warp of 32 lanes holds the operands in 4-byte words
// of e elements each. Element i of word w of lane l is
//
//   A:   in row l / 4 + 8 * (w % 2) and in column e * (l % 4) + i + 4 * e * (w / 2), with w < 4;
//   B:   in row e * (l % 4) + i + 4 * e * w and in column l / 4, with w < 2.
//
// Register r of C in lane l is in row l / 4 + 8 * (r / 2) and in column 2 * (l % 4) + r % 2.
//
// Sources: "AMD Instinct MI300" and "CDNA4" ISA guides, chapter "Matrix Arithmetic Instructions"; PTX ISA 9.0, "Warp
// Level Matrix Instructions: mma".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_ABI_MATRIXOPERATIONS_H
#define HOCKET_EMULATOR_ABI_MATRIXOPERATIONS_H

#include "layout/WarpSizes.h"
#include "target/NumberFormats.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace hocket::host_abi {

struct MatrixOperation {
  std::string_view name; ///< name after "rocdl.", such as "mfma.f32.32x32x8f16", or the instruction of a lane.mma
  uint16_t m, n, k, blocks;
  /// Formats of the operands. For a scaled MFMA, these are the widest formats, because MatrixFormats gives the formats
  /// of each MMA.
  NumberFormat a, b, c;
  bool onCdna3, onCdna4;
  bool isScaled = false;
  uint8_t lanes = kAmdWaveSize; ///< kNvidiaWarpSize for mma.sync

  /// True if AMD GPUs with the TargetInfo::mfmaVersion `version` have the instruction.
  bool isOn(int version) const { return version == 3 ? onCdna3 : version == 4 && onCdna4; }
  unsigned kPerLane() const { return m * k * blocks / unsigned(lanes); }
  unsigned resultsPerLane() const { return m * n * blocks / unsigned(lanes); }
};

/// Returns the matrix instructions of CDNA3, CDNA4 and NVIDIA GPUs. Emulated code identifies an instruction by its
/// index in this span.
std::span<const MatrixOperation> matrixOperations();

/// Formats of the operands of one MMA. For a scaled MFMA, `byteA` and `byteB` select the bytes of the words `scaleA`
/// and `scaleB` that contain the scales.
struct MatrixFormats {
  NumberFormat a, b;
  uint8_t byteA = 0, byteB = 0;

  uint32_t encode() const { return uint32_t(a) | uint32_t(b) << 8 | uint32_t(byteA) << 16 | uint32_t(byteB) << 24; }
  static MatrixFormats decode(uint32_t bits) {
    return {NumberFormat(bits & 255), NumberFormat(bits >> 8 & 255), uint8_t(bits >> 16), uint8_t(bits >> 24)};
  }
};

} // namespace hocket::host_abi

#endif
