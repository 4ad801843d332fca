//===- TensorBoxes.h - Addresses of the elements of a TMA box -----------------------===//
//
// A bulk tensor copy copies a box of a tensor. In shared memory, the rows of the box are contiguous, and the swizzle
// permutes their 16-byte chunks. In global memory, the tensor map defines the addresses of the rows. Elements outside
// of the tensor have no address. With im2col, a row holds the channels of one pixel, and successive rows are successive
// pixels of a box of each image.
//
// The permutation of the chunks depends on bits of the address in shared memory, not on the number of the row:
//
//     swizzle  32    bit 4 ^= bit 7
//     swizzle  64    bits 4-5 ^= bits 7-8
//     swizzle 128    bits 4-6 ^= bits 7-9
//
// PTX ISA 9.0, "Tensors".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_TENSORBOXES_H
#define HOCKET_EMULATOR_MACHINE_TENSORBOXES_H

#include "runtime/TensorMap.h"
#include "target/TmaLimits.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>

namespace hocket::emulator {

/// Coordinates of the first element of a box, the innermost dimension first.
struct BoxOrigin {
  std::array<int64_t, TensorMap::kMaxRank> coordinates = {};
  /// For im2col: distance from a pixel to the pixel whose channels are read.
  std::array<int64_t, TensorMap::kMaxSpatial> offsets = {};
};

/// Returns the largest offset that an im2col instruction accepts.
int64_t mostOffset(const TensorMap &map);

/// Returns the size of the box in shared memory, in bytes.
uint64_t bytesOf(const TensorMap &map);

/// A part of a row of the box: at most one 16-byte chunk, which is entirely inside or entirely outside the tensor.
struct BoxPart {
  uint64_t offset;  ///< offset of the part in shared memory
  uint64_t address; ///< address of the part in global memory; 0 outside of the tensor
  uint32_t bytes;
};
/// Granularity of a copy at the edge of the tensor. Loads skip single elements outside of the tensor. Stores skip only
/// whole 16-byte chunks. (An H200 writes up to the end of the last chunk that has an element of the tensor.)
enum class RowEnd { Element, Piece };

/// Calls `visit` with each part of the box that begins at the coordinates `origin` in the tensor, and at the offset
/// `offset` in shared memory.
void forEachPart(const TensorMap &map, const BoxOrigin &origin, uint64_t offset, RowEnd end,
                 llvm::function_ref<void(const BoxPart &)> visit);

/// A contiguous range of elements in global memory.
struct TensorRow {
  uint64_t address, bytes;
};
/// Calls `visit` for each row of the box with the part of the row that is inside the tensor. Skips rows outside the
/// tensor.
void forEachRow(const TensorMap &map, const BoxOrigin &origin, RowEnd end,
                llvm::function_ref<void(const TensorRow &)> visit);

} // namespace hocket::emulator

#endif
