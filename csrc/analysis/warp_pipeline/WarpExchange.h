//===- WarpExchange.h - Determines the warps that exchange elements of a tile -----===//
//
// For two accesses of a tile, determines the warps that access the same element. If one warp accesses an element in
// both, its accesses are ordered, and no wait is needed. The warps of one group of a warp pipeline (0 to 3, or 4 to 7)
// are in the same stage at the same time: a fence anywhere between the two accesses suffices (StageFences.h). The other
// group is in another stage.
//
// Sixteen elements, eight warps; each element shows its warp:
//
//     one access                       0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7
//     another access, by other lanes   0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7    within each warp
//     warps interleaved in each half   0 1 2 3 0 1 2 3 4 5 6 7 4 5 6 7    within each group
//     warps interleaved                0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7    between the groups
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_WARPEXCHANGE_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_WARPEXCHANGE_H

#include "dialect/hk/ir/HkDialect.h"

namespace hocket {

enum class Exchange : uint8_t { WithinWarp, WithinGroup, BetweenGroups };

/// Returns the smallest set of warps within which elements move if a tile changes from type `a` to type `b`. An element
/// that several warps hold moves among all of them.
Exchange findExchange(mlir::RankedTensorType a, mlir::RankedTensorType b);

} // namespace hocket

#endif
