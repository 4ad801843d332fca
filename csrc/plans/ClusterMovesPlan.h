//===- ClusterMovesPlan.h - Layout conversions between the blocks of a cluster --------------===//
//
// A block is a CTA of the cluster. Each block writes its part of the tile to its own scratch memory. After a cluster
// barrier, every lane reads the elements of its result from the scratch memories of the blocks that hold them. The plan
// numbers the scratch memories of all blocks by one linear range of offsets, in which the memory of block r begins at r
// << partBits.
//
//                      block 0      block 1
//     operand          a0 a1        b0 b1         rows are split among blocks
//     scratch          a0 a1        b0 b1         offsets 0 1 | 2 3
//     result           a0 b0        a1 b1         columns are split among blocks: block 1 reads offsets 1 and 3
//
// If each block already holds all elements of its result, no exchange between blocks is needed, and the conversion is
// planned within one block.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_CLUSTERMOVESPLAN_H
#define HOCKET_PLANS_CLUSTERMOVESPLAN_H

#include "layout/LinearLayout.h"
#include "layout/VectorAccess.h"
#include <cstdint>
#include <optional>

namespace hocket {

struct ClusterMoves {
  /// Maps (register, lane, warp) of the operand to the offset in the block's own scratch memory.
  LinearLayout storeOffset;
  /// Maps (register, lane, warp, block) of the result to the offset in the scratch memories of all blocks.
  LinearLayout loadOffset;
  unsigned partBits = 0;
  VectorAccess store, load;
  int64_t scratchBytes = 0; ///< number of bytes of one block's scratch memory
};

/// Returns `layout` without its `Block` dimension: the layout of the part of the tile that one block holds, with
/// coordinates relative to this part. Returns nullopt unless the parts of all blocks are equally large boxes (ranges of
/// indices in each dimension).
std::optional<LinearLayout> withinBlock(const LinearLayout &layout);

/// True if each block holds the same part of the tile in both layouts, so that no block needs elements of another
/// block.
bool haveEqualParts(const LinearLayout &src, const LinearLayout &dst);

/// Plans the conversion from layout `src` to layout `dst`. Returns nullopt unless each block's part of the operand is a
/// box (a range of indices in each dimension), and each bit of the block's rank changes at most one bit of the box's
/// coordinates.
std::optional<ClusterMoves> planClusterMoves(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                                             int maxAccessBits);

} // namespace hocket

#endif
