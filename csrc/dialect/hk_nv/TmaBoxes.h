//===- TmaBoxes.h - Where the boxes that TMA moves lie in a tile of shared memory ----------------===//
//
// TMA moves a block of a tensor as *boxes*, each as wide as the swizzle and at most 256 elements along a dimension. In
// a whole tile they follow each other; in a slice of a larger tile they lie as far apart as in that:
//
//     tile of 128 x 128 f16, swizzle 128       columns 0..63 | columns 64..127
//     rows 64..127 of it                       second half of the former, second half of the latter
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_NV_TMABOXES_H
#define HOCKET_DIALECT_HK_NV_TMABOXES_H

#include "dialect/hk_nv/HkNvDialect.h"

namespace hocket::hk_nv {

/// Why no boxes of `desc` lie in what `tile` shows of its buffer, for a user; empty if they do.
std::string whyNotBoxes(hk::MemDescType tile, TensorDescType desc);

struct TmaBox {
  llvm::SmallVector<int64_t> start; ///< its first element in the tile, of one CTA's part
  int64_t bytes;                    ///< from the start of the tile
};

/// The boxes of a tile.
llvm::SmallVector<TmaBox> boxesOf(hk::MemDescType tile, TensorDescType desc);

} // namespace hocket::hk_nv

#endif
