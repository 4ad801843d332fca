//===- NvidiaSharedLayouts.h - Shared memory layouts of TMA and wgmma -------------===//
//
// A tile is divided into vertical strips, which are stored one after the other. A strip is `swizzleBytes` wide and
// contains all rows of the tile. The units of 16 bytes of a row are permuted, differently in each of eight rows, so
// that reading one unit of each of eight rows is free of bank conflicts. Example with `swizzleBytes` = 128; each entry
// is a unit of 16 bytes:
//
//     row 0   0 1 2 3 4 5 6 7
//     row 1   1 0 3 2 5 4 7 6
//     row 2   2 3 0 1 6 7 4 5
//     ...
//     row 7   7 6 5 4 3 2 1 0
//
// With `swizzleBytes` = 64, two rows of 4 units share 128 bytes of memory and have the same permutation. With
// `swizzleBytes` = 32, four rows of 2 units share 128 bytes of memory and have the same permutation. Without swizzle (0
// bytes) the tile is row-major. In a tensor with more than two dimensions, all dimensions except the contiguous
// dimension form the rows. The last of these dimensions is the fastest.
//
// PTX ISA 9.0, "Tensor swizzling modes", "Shared Memory Matrix Layout" of wgmma.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_NVIDIASHAREDLAYOUTS_H
#define HOCKET_LAYOUT_NVIDIASHAREDLAYOUTS_H

#include "layout/Factories.h"

namespace hocket {

struct NvidiaSharedParams {
  int64_t swizzleBytes; ///< width of the swizzle in bytes: 0 (no swizzle), 32, 64 or 128
  int64_t elementBits;
  bool transposed; ///< true if dimension 0 of a 2-D tile is contiguous in memory, instead of dimension 1

  /// Returns the width of a strip, in elements; 0 without swizzle.
  int64_t columns() const { return swizzleBytes * 8 / elementBits; }
};

LinearLayout nvidiaSharedLayout(Sizes shape, const NvidiaSharedParams &params);

} // namespace hocket

#endif
