//===- NvidiaSharedLayouts.h - Shared memory layouts of TMA and wgmma -------------===//
//
// A tile is stored as columns of blocks, one column after the other. A column is `swizzleBytes` wide and has all rows
// of the tile. The units of 16 bytes of a row are permuted, differently in each of eight rows, so that reading one unit
// of each of eight rows is free of bank conflicts. Example with `swizzleBytes` = 128; each entry is a unit of 16 bytes:
//
//     row 0   0 1 2 3 4 5 6 7      64 bytes: 128 bytes of memory hold two rows of the tile, and rows 2 j and 2 j + 1
//     row 1   1 0 3 2 5 4 7 6      have the same permutation, of 4 units; 32 bytes: 128 bytes hold four rows of the
//     row 2   2 3 0 1 6 7 4 5      tile, of 2 units each
//     ...
//     row 7   7 6 5 4 3 2 1 0
//
// Without swizzle (0 bytes) the tile is row-major. With more than two dimensions, all dimensions except the contiguous
// one are rows, the last of them fastest.
//
// PTX ISA 9.0, "Tensor swizzling modes", "Shared Memory Matrix Layout" of wgmma.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_NVIDIASHAREDLAYOUTS_H
#define HOCKET_LAYOUT_NVIDIASHAREDLAYOUTS_H

#include "layout/Factories.h"

namespace hocket {

struct NvidiaSharedParams {
  int64_t swizzleBytes; ///< 0 (no swizzle), 32, 64 or 128
  int64_t elementBits;
  bool transposed; ///< for rank 2: dimension 0 is contiguous in memory

  /// Width of a column of blocks, in elements; 0 without swizzle.
  int64_t columns() const { return swizzleBytes * 8 / elementBits; }
};

LinearLayout nvidiaSharedLayout(Sizes shape, const NvidiaSharedParams &params);

} // namespace hocket

#endif
