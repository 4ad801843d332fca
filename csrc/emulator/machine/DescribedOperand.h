//===- DescribedOperand.h - Operand in shared memory that a matrix descriptor describes ----===//
//
// The operand consists of rows of A, or of columns of B, each with 32 bytes along K. In shared memory, the operand is
// divided into 16-byte chunks, whose addresses layout/MatrixDescriptor.h defines.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_DESCRIBEDOPERAND_H
#define HOCKET_EMULATOR_MACHINE_DESCRIBEDOPERAND_H

#include "emulator_abi/MatrixOperations.h"
#include "layout/MatrixAccess.h"
#include "layout/MatrixDescriptor.h"

#include <cstddef>

namespace hocket::emulator {

struct DescribedOperand {
  static constexpr uint32_t kPieceBytes = kMatrixRowBytes;

  MatrixDescriptor descriptor;
  bool isTransposed; ///< true if rows, not K, are the contiguous dimension
  NumberFormat element;
  uint32_t firstRow, rows;

  uint32_t elementBytes() const { return bitsOf(element) / 8; }
  uint32_t depth() const { return kWgmmaDepthBytes / elementBytes(); }
  uint32_t perPiece() const { return kPieceBytes / elementBytes(); }

  /// Calls `function(offset in shared memory, first row, first k)` for each 16-byte chunk.
  template <typename Function>
  void forEachPiece(Function function) const {
    uint32_t last = firstRow + rows, step = perPiece();
    if (isTransposed) {
      for (uint32_t k = 0; k < depth(); ++k)
        for (uint32_t row = firstRow; row < last; row += step)
          function(descriptor.address(k, row * elementBytes(), true), row, k);
      return;
    }
    for (uint32_t row = firstRow; row < last; ++row)
      for (uint32_t k = 0; k < depth(); k += step)
        function(descriptor.address(row, k * elementBytes(), false), row, k);
  }
};

/// Decodes the operand. Writes element (firstRow + row, k) to matrix[row * rowStride + k * kStride].
void readOperand(const DescribedOperand &operand, const std::byte *shared, float *matrix, uint32_t rowStride,
                 uint32_t kStride);
void readOperand(const DescribedOperand &operand, const std::byte *shared, uint32_t *matrix, uint32_t rowStride,
                 uint32_t kStride);

/// Decodes `count` elements: floats of up to 32 bits, or 8-bit integers.
void decodeNumbers(NumberFormat element, const std::byte *bits, unsigned count, float *numbers);
void decodeNumbers(NumberFormat element, const std::byte *bits, unsigned count, uint32_t *numbers);

} // namespace hocket::emulator

#endif
