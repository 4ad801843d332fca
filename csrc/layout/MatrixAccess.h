//===- MatrixAccess.h - Loads and stores of matrices of 8 rows by a whole warp ----===//
//
// NVIDIA's ldmatrix and stmatrix move 1, 2 or 4 matrices of 8 rows of 16 bytes between shared memory and the registers
// of 32 lanes. Lane 8 m + r gives the address of row r of matrix m. Each lane holds one word of 4 bytes of each matrix:
// lane l has word l mod 4 of row l div 4,
//
//               word 0   word 1   word 2   word 3
//     row 0     lane 0   lane 1   lane 2   lane 3
//     row 1     lane 4   lane 5   lane 6   lane 7
//     ..
//
// or, transposed, for elements of 16 bits: elements of column l div 4, those of rows 2 (l mod 4) and the next.
//
// So a layout can be moved that way if the 16 bytes of a row are register bits for the elements of a word, then lane
// bits 0 and 1 (transposed: lane bits 2 to 4), and nothing else touches these offset bits. Where rows lie is free, for
// each is addressed by itself. Two more register bits tell four matrices apart, and any others the instructions:
//
//                        row of the address, bits 0, 1, 2      matrix      16 bytes of memory
//     as it is           lane 2, 3, 4                          registers   registers (elements of a word), lane 0, 1
//     transposed         register (element of a word), lane 0, 1           lane 2, 3, 4
//
// PTX ISA 9.0, "Warp-level matrix load instruction: ldmatrix", "stmatrix".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_MATRIXACCESS_H
#define HOCKET_LAYOUT_MATRIXACCESS_H

#include "layout/VectorAccess.h"

#include <optional>

namespace hocket {

inline constexpr int32_t kMatrixRows = 8, kMatrixRowBytes = 16, kMatrixWordBytes = 4;

struct MatrixAccess {
  bool transposes = false;
  /// Of each instruction: 1, 2 or 4.
  int32_t matrices = 1;
  /// (register, lane, warp, ..) -> the offset in elements of the row whose address the lane gives; one register per
  /// instruction. Lanes from 8 x `matrices` on repeat the others'.
  LinearLayout rows;
  /// For each instruction, for each of its matrices, the registers that a word is made of.
  std::vector<std::vector<std::vector<int32_t>>> words;
  /// For each register, the register among `words` that holds the same element: itself unless registers are copies.
  std::vector<int32_t> representative;
};

/// How a warp moves what `toOffset` (from register, lane, warp, .. to element offsets, without padding) says, if it can
/// do so by matrices alone, and by fewer instructions than words. `startBits` are the offset bits in which a view may
/// start. Elements of 8, 16 and 32 bits; nothing for others.
std::optional<MatrixAccess> planMatrixAccess(const LinearLayout &toOffset, int32_t elementBits,
                                             std::span<const Padding> paddings = {}, int32_t startBits = 0);

} // namespace hocket

#endif
