//===- TensorBoxes.h - Where TMA finds the elements of a box ------------------------===//
//
// One instruction moves a box of a tensor: in shared memory its rows follow each other without gaps, pieces of 16 bytes
// exchanged as the swizzle says; in global memory they lie where the tensor map says, those outside of it nowhere.
// A row of im2col has channels of one pixel; the pixels are those that a walk over a box of each image meets.
//
// Which pieces are exchanged depends on the bits of the address in shared memory, not on the row:
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

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>

namespace hocket::emulator {

/// Of the first element of a box, the innermost dimension first.
struct TensorPlace {
  std::array<int64_t, TensorMap::kMaxRank> coordinates = {};
  /// Of im2col: how far from each pixel a row is read.
  std::array<int64_t, TensorMap::kMaxSpatial> offsets = {};
};

/// The largest offset that an instruction of im2col takes.
int64_t mostOffset(const TensorMap &map);

/// What TMA's boxes begin at multiples of in shared memory, and move at once.
inline constexpr uint64_t kBoxAlignment = 128, kBoxPieceBytes = 16;

/// The bytes that a box takes in shared memory.
uint64_t bytesOf(const TensorMap &map);

/// A part of a row, at most a piece, all of it inside of the tensor or all outside.
struct BoxPart {
  uint64_t offset;  ///< in shared memory
  uint64_t address; ///< in global memory; 0 outside of the tensor
  uint32_t bytes;
};
/// What of a row lies partly outside of the tensor: loads leave out the elements outside, stores only whole pieces.
/// (Seen on an H200, where stores write up to the end of the last piece that has an element of the tensor.)
enum class RowEnd { Element, Piece };

/// Calls `visit` with all parts of the box at `place` that is at `offset` in shared memory.
void forEachPart(const TensorMap &map, const TensorPlace &place, uint64_t offset, RowEnd end,
                 llvm::function_ref<void(const BoxPart &)> visit);

/// Elements that are neighbours in global memory.
struct TensorRow {
  uint64_t address, bytes;
};
/// Calls `visit` with what of the box's rows is moved.
void forEachRow(const TensorMap &map, const TensorPlace &place, RowEnd end,
                llvm::function_ref<void(const TensorRow &)> visit);

} // namespace hocket::emulator

#endif
