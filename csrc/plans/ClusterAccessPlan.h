//===- ClusterAccessPlan.h - Accesses to tiles in a cluster's distributed shared memory -----------===//
//
// The `block` bases of a register layout or shared layout define which part of a tile each CTA of a cluster holds. The
// plan numbers the shared memories of all CTAs by one linear range of offsets, in which the memory of CTA r begins at r
// << partBits:
//
//                      CTA 0        CTA 1
//     registers        a0 a1        b0 b1         rows are split among CTAs
//     shared memory    a0 b0        a1 b1         columns are split among CTAs
//     offsets          0  1         2  3          CTA 0 accesses offsets 0 and 2, CTA 1 offsets 1 and 3
//
// If several CTAs have copies of an element in shared memory, each CTA loads its own copy. If these CTAs also have
// copies in registers, each CTA stores to its own shared memory. If only one CTA has an element in registers, this CTA
// stores the element to all copies in shared memory:
//
//     registers        a            b
//     shared memory    a b          a b           CTA 0 stores a to both memories, CTA 1 stores b to both
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_CLUSTERACCESSPLAN_H
#define HOCKET_PLANS_CLUSTERACCESSPLAN_H

#include "layout/LinearLayout.h"

namespace hocket {

/// Locations of a tile's elements in the shared memories of a cluster of 2^blockBits CTAs.
struct ClusterOffsets {
  /// Maps coordinates to the offset in the shared memories of all CTAs. If several CTAs have copies of an element, the
  /// offset is that of the copy in the CTA with the lowest rank.
  LinearLayout toOffset;
  unsigned partBits = 0, blockBits = 0;
  /// Mask of rank bits: CTAs whose ranks differ only in these bits have copies of the same elements in shared memory.
  int32_t copies = 0;

  /// Returns the mask of the bits of an offset that hold the rank of the CTA.
  int32_t rankMask() const { return ((int32_t(1) << blockBits) - 1) << partBits; }
};

/// Returns the locations of a tile whose shared layout `shared` maps (offset, block) to coordinates. The bases of
/// `shared` must be linearly independent, except that block bases can be zero.
ClusterOffsets offsetsInCluster(const LinearLayout &shared, unsigned blockBits);

struct ClusterAccess {
  /// Maps (register, lane, warp, block) to the accessed offset in the shared memories of all CTAs.
  LinearLayout toOffset;
  unsigned partBits = 0;
  /// Mask of rank bits, for stores: each stored element is copied to all CTAs whose ranks differ only in these bits. 0
  /// for loads.
  int32_t copies = 0;
  /// True if every CTA accesses only its own shared memory.
  bool isOwn = false;

  /// Returns `toOffset` without the offset bits that select the CTA, for accesses to the CTA's own shared memory.
  LinearLayout offsetInPart() const;
};

/// Plans the loads of a tile into registers. The layout `registers` maps (register, lane, warp, block) to coordinates.
ClusterAccess planClusterLoad(const LinearLayout &registers, const ClusterOffsets &positions);
ClusterAccess planClusterStore(const LinearLayout &registers, const ClusterOffsets &positions);
/// Plans the stores of a tile if some of the coordinates are known only at run time. `known` maps (register, lane,
/// warp, block) to the coordinates that are known at compile time. `registers` maps (register, lane, warp, block) to
/// all coordinates.
ClusterAccess planClusterStore(const LinearLayout &known, const ClusterOffsets &positions,
                               const LinearLayout &registers);

} // namespace hocket

#endif
