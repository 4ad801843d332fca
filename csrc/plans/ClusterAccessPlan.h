//===- ClusterAccessPlan.h - Accesses to tiles in a cluster's distributed shared memory -----------===//
//
// The `block` bases of a register layout or shared layout define which part of a tile each CTA of a cluster holds. The
// memories of all CTAs form one linear space of offsets, in which the memory of CTA r begins at r << partBits:
//
//                      CTA 0        CTA 1
//     registers        a0 a1        b0 b1         rows are split among CTAs
//     shared memory    a0 b0        a1 b1         columns are split among CTAs
//     offsets          0  1         2  3          CTA 0 accesses offsets 0 and 2, CTA 1 offsets 1 and 3
//
// If several CTAs have copies of an element in shared memory, each CTA loads its own copy. If these CTAs also have
// copies in registers, each CTA stores to its own shared memory. An element that only one CTA has in registers is
// stored to all copies:
//
//     registers        a            b
//     shared memory    a b          a b           CTA 0 stores a to both memories, CTA 1 stores b to both
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_CLUSTERACCESSPLAN_H
#define HOCKET_PLANS_CLUSTERACCESSPLAN_H

#include "layout/LinearLayout.h"

namespace hocket {

/// Location of a tile in the memories of a cluster of 2^blockBits CTAs.
struct ClusterOffsets {
  /// Maps coordinates to the offset in the memories of all CTAs. If several CTAs have copies, the copy in the CTA with
  /// the lowest rank is selected.
  LinearLayout toOffset;
  unsigned partBits = 0, blockBits = 0;
  /// Mask of the bits in which the ranks of CTAs with copies of the same elements differ.
  int32_t copies = 0;

  /// Returns the mask of the offset bits that select the CTA.
  int32_t rankMask() const { return ((int32_t(1) << blockBits) - 1) << partBits; }
};

/// Returns the locations of a tile whose shared layout `shared` maps (offset, block) to coordinates. The bases of
/// `shared` are independent, except block bases that are zero.
ClusterOffsets offsetsInCluster(const LinearLayout &shared, unsigned blockBits);

struct ClusterAccess {
  /// Maps (register, lane, warp, block) to the offset in the memories of all CTAs.
  LinearLayout toOffset;
  unsigned partBits = 0;
  /// Mask of the bits in which the ranks of the CTAs that receive copies of a stored element differ.
  int32_t copies = 0;
  /// True if every CTA accesses its own memory only.
  bool isOwn = false;

  /// Returns `toOffset` without the rank of the CTA, for accesses of the CTA's own memory.
  LinearLayout offsetInPart() const;
};

/// Plans the loads of a tile into registers with the layout `registers`: (register, lane, warp, block) -> coordinates.
ClusterAccess planClusterLoad(const LinearLayout &registers, const ClusterOffsets &positions);
ClusterAccess planClusterStore(const LinearLayout &registers, const ClusterOffsets &positions);
/// Plans stores for which indices at run time give some of the coordinates. `known` maps (register, lane, warp, block)
/// to the other coordinates. `registers` maps (register, lane, warp, block) to all coordinates.
ClusterAccess planClusterStore(const LinearLayout &known, const ClusterOffsets &positions,
                               const LinearLayout &registers);

} // namespace hocket

#endif
