//===- TmaBoxes.h - Positions of TMA's boxes in a tile of shared memory --------------------------===//
//
// TMA copies a block of a tensor as *boxes*, each as wide as the swizzle and at most 256 elements along a dimension. In
// a whole tile, the boxes are consecutive in memory. In a slice of a larger tile, the boxes have the same distances in
// memory as in the larger tile:
//
//     tile of 128 x 128 f16, swizzle 128       columns 0..63 | columns 64..127
//     its rows 64..127                         second half of columns 0..63 | second half of columns 64..127
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_NV_TMABOXES_H
#define HOCKET_DIALECT_HK_NV_TMABOXES_H

#include "dialect/hk_nv/HkNvDialect.h"

namespace hocket::hk_nv {

/// Returns the reason, in a message for users, why the memory of `tile` does not consist of boxes of `desc`. Returns an
/// empty string if the memory consists of such boxes.
std::string whyNotBoxes(hk::MemDescType tile, TensorDescType desc);

struct TmaBox {
  llvm::SmallVector<int64_t> start; ///< coordinates of the box's first element, relative to the part of one CTA
  int64_t bytes;                    ///< offset of the box in bytes from the start of the tile
};

/// Returns the boxes of which the memory of a tile consists.
llvm::SmallVector<TmaBox> boxesOf(hk::MemDescType tile, TensorDescType desc);

} // namespace hocket::hk_nv

#endif
