//===- DirectCopy.h - Direct copies from global into shared memory (no scatter) ---===//
//
// An instruction that copies from global into shared memory, bypassing registers, takes one address in shared memory
// for the whole warp. Each lane copies `width` elements, and the data of consecutive lanes are consecutive in shared
// memory:
//
//     address   A           A + width       A + 2 width     ...     A + 64 width
//               | lane 0    | lane 1        | lane 2        ...     |
//
// A direct copy of a tile therefore requires that the tile's memory consists of chunks of 64 x width elements. Within a
// chunk, `width` adjacent elements belong to one lane, and lane bit k is offset bit k + log2 width. Other register
// bits, warp bits and the start of a view must change offsets by multiples of the chunk size. Padding must not split a
// chunk, and must be a multiple of the width. Example with 4 lanes and a width of 2; each entry is the lane and the
// register whose element is stored at that offset:
//
//     lane.register   0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1   0:2 0:3 1:2 1:3 ...     two instructions
//     swizzled        0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1   1:2 1:3 0:2 0:3 ...     not possible: lanes 0 and 1 exchanged
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_DIRECTCOPY_H
#define HOCKET_LAYOUT_DIRECTCOPY_H

#include "layout/VectorAccess.h"

namespace hocket {

/// Reasons why a tile cannot be copied directly, in the order of the checks in planDirectCopy.
enum class DirectCopyProblem : uint8_t {
  None,
  Registers, ///< a lane has only `found` adjacent elements, fewer than the width
  /// The elements of lane `lane` start `found` elements after the elements of lane 0, instead of `lane * width`.
  /// `found` is 0 if both lanes hold the same elements.
  Lanes,
  Pieces,      ///< the elements of a register or warp start `found` elements after the start of a chunk
  Padding,     ///< padding after every `found` elements splits chunks
  PaddingSize, ///< a padding of `found` elements is not a multiple of the width
  ViewStart,   ///< a view of the buffer can start in the middle of a chunk
};

struct DirectCopy {
  DirectCopyProblem problem = DirectCopyProblem::None;
  int32_t lane = 0;
  int64_t found = 0;
  /// For each instruction, the registers of the layout whose elements the instruction copies; valid if `problem` is
  /// None.
  VectorAccess access;
};

/// Plans a direct copy in which each lane copies `width` elements. `toOffset` maps (register, lane, warp) to offsets in
/// elements, without padding. `startBits` is a mask of the bits that can be set in the start offset of a view.
DirectCopy planDirectCopy(const LinearLayout &toOffset, int32_t width, int32_t warpSize,
                          std::span<const Padding> paddings, int32_t startBits);

} // namespace hocket

#endif
