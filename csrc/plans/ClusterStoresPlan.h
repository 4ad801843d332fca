//===- ClusterStoresPlan.h - Which block's memory each element of a tile is stored to -------------===//
//
// Registers and shared memory say by their `block` bases which part of a tile a block has. An element goes to the block
// that has it in shared memory:
//
//                      block 0      block 1
//     registers        a0 a1        b0 b1         rows are dealt to blocks
//     shared memory    a0 b0        a1 b1         columns are: block 0 stores a1 to block 1, block 1 stores b0 to block
//     0
//
// Where blocks have copies in shared memory, and in registers, too, each stores its own; and if a block alone has the
// element in registers, it stores it to all of them:
//
//     registers        a            b
//     shared memory    a b          a b           block 0 stores a to both, block 1 stores b to both
//
// Offsets are those of ClusterMovesPlan.h: the memory of block r begins at r << partBits.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_CLUSTERSTORESPLAN_H
#define HOCKET_PLANS_CLUSTERSTORESPLAN_H

#include "layout/LinearLayout.h"

namespace hocket {

struct ClusterStores {
  /// (register, lane, warp, block) -> offset among those of all blocks; of copies the one with the lowest number.
  LinearLayout toOffset;
  unsigned partBits = 0;
  /// Bits of a block's number in which the copies differ that an element is stored to.
  int32_t copies = 0;
};

/// Of a tile in `registers` and in `shared`, maps from (register, lane, warp, block) and (offset, block) to
/// coordinates, in clusters of 2^blockBits blocks.
ClusterStores planClusterStores(const LinearLayout &registers, const LinearLayout &shared, unsigned blockBits);

} // namespace hocket

#endif
