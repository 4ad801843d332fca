//===- DirectCopy.h - Copies into shared memory that lanes cannot scatter ---------===//
//
// An instruction that copies from global into shared memory without passing through registers takes one address in
// shared memory for the whole warp; each lane's data follow those of the lane before:
//
//     address   A           A + width       A + 2 width     ..      A + 64 width
//               | lane 0    | lane 1        | lane 2        ..      |
//
// So a tile can be copied that way only if its memory, in pieces of 64 x width, is filled lane after lane: lane bit k
// is offset bit k + log2 width, `width` neighbouring elements belong to one lane, and what else moves an element
// (registers, warps, the start of a view, padding) moves whole pieces. With 4 lanes and a width of 2:
//
//     lane.register   0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1   0:2 0:3 1:2 1:3 ..      two instructions
//     swizzled        0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1   1:2 1:3 0:2 0:3 ..      not possible: lanes 0 and 1 exchanged
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_DIRECTCOPY_H
#define HOCKET_LAYOUT_DIRECTCOPY_H

#include "layout/VectorAccess.h"

namespace hocket {

/// What keeps a layout from being copied, in the order of the checks.
enum class DirectCopyProblem : uint8_t {
  None,
  Registers,   ///< a lane has only `found` neighbouring elements
  Lanes,       ///< `lane` is `found` elements after lane 0; 0: it holds the same ones
  Pieces,      ///< a register or a warp starts within a piece, `found` elements into it
  Padding,     ///< padding after every `found` elements splits pieces
  PaddingSize, ///< a padding of `found` elements is no multiple of the width
  ViewStart,   ///< a view may start within a piece
};

struct DirectCopy {
  DirectCopyProblem problem = DirectCopyProblem::None;
  int32_t lane = 0;
  int64_t found = 0;
  /// One group of registers per instruction, if there is no problem.
  VectorAccess access;
};

/// How lanes that move `width` elements each copy a tile. `toOffset` maps (register, lane, warp) to element offsets,
/// without padding. `startBits` are the offset bits in which a view may start.
DirectCopy planDirectCopy(const LinearLayout &toOffset, int32_t width, int32_t warpSize,
                          std::span<const Padding> paddings, int32_t startBits);

} // namespace hocket

#endif
