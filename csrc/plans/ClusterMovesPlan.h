//===- ClusterMovesPlan.h - How a tile changes its layout between the blocks of a cluster ---===//
//
// Each block writes the part that it holds to scratch memory of its own. After a barrier of the cluster every lane
// reads what it wants, from whichever block has it: the places of all blocks' scratch memories are one linear space, in
// which block r begins at r << partBits.
//
//                      block 0      block 1
//     operand          a0 a1        b0 b1         rows are dealt to blocks
//     scratch          a0 a1        b0 b1         offsets 0 1 | 2 3
//     result           a0 b0        a1 b1         columns are: block 1 reads offsets 1 and 3
//
// A conversion whose blocks want what they have themselves is no such thing: it is planned for what one block holds.
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
  /// (register, lane, warp) of the operand -> offset in the block's own scratch.
  LinearLayout storeOffset;
  /// (register, lane, warp, block) of the result -> offset among those of all blocks.
  LinearLayout loadOffset;
  unsigned partBits = 0;
  VectorAccess store, load;
  int64_t scratchBytes = 0; ///< of one block
};

/// `layout` without its `Block` dimension: the part of the tile that one block holds, with coordinates within that
/// part. Nothing if the parts are not boxes of the tile, each as large as the others.
std::optional<LinearLayout> withinBlock(const LinearLayout &layout);

/// Whether blocks hold the same parts in both layouts, so that none needs anything of another.
bool haveEqualParts(const LinearLayout &src, const LinearLayout &dst);

/// Nothing if the parts that blocks hold of the operand are not boxes.
std::optional<ClusterMoves> planClusterMoves(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                                             int maxAccessBits);

} // namespace hocket

#endif
