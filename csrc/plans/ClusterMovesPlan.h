//===- ClusterMovesPlan.h - Layout conversions between the blocks of a cluster --------------===//
//
// Each block writes the part that it holds to its own scratch memory. After a barrier of the cluster, every lane reads
// the elements of its result from the blocks that hold them. The scratch memories of all blocks are one linear space of
// offsets, in which block r begins at r << partBits.
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
  /// Maps (register, lane, warp) of the operand to the offset in the block's own scratch.
  LinearLayout storeOffset;
  /// Maps (register, lane, warp, block) of the result to the offset in the scratch memories of all blocks.
  LinearLayout loadOffset;
  unsigned partBits = 0;
  VectorAccess store, load;
  int64_t scratchBytes = 0; ///< size of the scratch memory of each block
};

/// Returns `layout` without its `Block` dimension: the part of the tile that one block holds, with coordinates within
/// that part. Returns nullopt if the parts are not boxes of the tile of equal size.
std::optional<LinearLayout> withinBlock(const LinearLayout &layout);

/// True if each block holds the same part in both layouts, so that blocks need no elements of each other.
bool haveEqualParts(const LinearLayout &src, const LinearLayout &dst);

/// Plans the conversion from `src` to `dst`. Returns nullopt if the parts of the operand that blocks hold are not boxes
/// of the tile.
std::optional<ClusterMoves> planClusterMoves(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                                             int maxAccessBits);

} // namespace hocket

#endif
