//===- NvidiaSharedLayouts.h - How TMA and wgmma lay tiles out in shared memory ---===//
//
// A tile stands in memory as columns of `swizzleBytes` x all rows, one column of blocks after the other. Within eight
// rows, pieces of 16 bytes are exchanged, so that reading a piece of each of eight rows meets no bank twice. With 128
// bytes, 16-bit elements, a piece per cell:
//
//     row 0   0 1 2 3 4 5 6 7      64 bytes: a row of 128 bytes of memory holds two rows of the tile, and pieces of
//     row 1   1 0 3 2 5 4 7 6      rows 2 j and 2 j + 1 are exchanged alike, within 4 pieces; 32 bytes: four rows, 2
//     row 2   2 3 0 1 6 7 4 5      pieces
//     ..
//     row 7   7 6 5 4 3 2 1 0
//
// Without swizzle (0 bytes) the tile is row-major. More dimensions than two are rows, the last of them fastest.
//
// PTX ISA 9.0, "Tensor swizzling modes"; "Shared Memory Matrix Layout" of wgmma.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_NVIDIASHAREDLAYOUTS_H
#define HOCKET_LAYOUT_NVIDIASHAREDLAYOUTS_H

#include "layout/Factories.h"

namespace hocket {

struct NvidiaSharedParams {
  int64_t swizzleBytes; ///< 0, 32, 64, 128
  int64_t elementBits;
  bool transposed; ///< of rank 2: dimension 0 runs along a row of memory

  /// Elements along a row of memory that one column of blocks has; 0 without swizzle.
  int64_t columns() const { return swizzleBytes * 8 / elementBits; }
};

LinearLayout nvidiaSharedLayout(Sizes shape, const NvidiaSharedParams &params);

} // namespace hocket

#endif
