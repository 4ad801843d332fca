//===- MatrixAccess.h - Plans for ldmatrix and stmatrix ---------------------------===//
//
// NVIDIA's ldmatrix and stmatrix move 1, 2 or 4 matrices of 8 rows of 16 bytes between shared memory and the registers
// of 32 lanes. Lane 8 m + r provides the address of row r of matrix m. Each lane holds one word of 4 bytes of each
// matrix: lane l has word l mod 4 of row l div 4,
//
//               word 0   word 1   word 2   word 3
//     row 0     lane 0   lane 1   lane 2   lane 3
//     row 1     lane 4   lane 5   lane 6   lane 7
//     ...
//
// Transposed instructions are for elements of 16 bits: lane l has the elements of column l div 4 in rows 2 (l mod 4)
// and 2 (l mod 4) + 1.
//
// A layout can therefore be accessed with ldmatrix or stmatrix if the offset bits within the 16 bytes of a row are,
// lowest first, the input bits in the last column of the following table. No other input bit may change an offset
// within a row. Rows can be at any addresses, because each row has its own address. Register bits that are not in the
// table select the instruction:
//
//                        row of the address, bits 0, 1, 2      matrix      16 bytes of memory
//     not transposed     lane 2, 3, 4                          registers   registers (elements of a word), lane 0, 1
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
  /// Number of matrices per instruction: 1, 2 or 4.
  int32_t matrices = 1;
  /// Maps (register, lane, warp, ...) to the offset, in elements, of the row whose address the lane provides. The
  /// register index of this map is the index of the instruction. Lanes with a number of at least 8 x `matrices` have
  /// the addresses of lower lanes.
  LinearLayout rows;
  /// words[i][m] contains the registers whose elements form the word that a lane holds of matrix m of instruction i.
  std::vector<std::vector<std::vector<int32_t>>> words;
  /// representative[r] is the register in `words` that holds the same element as register r. representative[r] is r
  /// unless register r is a copy.
  std::vector<int32_t> representative;
};

/// Plans the ldmatrix or stmatrix instructions with which a warp accesses a tile. `toOffset` maps (register, lane,
/// warp, ...) to offsets in elements, without padding. Returns nullopt if ldmatrix or stmatrix cannot access all
/// elements. Also returns nullopt if instructions without transposition would move only one matrix each. `startBits` is
/// a mask of the bits that can be set in the start offset of a view. Supports elements of 8, 16 and 32 bits.
std::optional<MatrixAccess> planMatrixAccess(const LinearLayout &toOffset, int32_t elementBits,
                                             std::span<const Padding> paddings = {}, int32_t startBits = 0);

} // namespace hocket

#endif
