//===- WarpExchange.h - Determines the warps that exchange elements of a tile -----===//
//
// For two accesses of a tile, determines the warps that touch the same element. If each element is in one warp, the
// same for both accesses, a warp overlaps only its own accesses, which are ordered, and no wait is needed. Warps of one
// group of a warp pipeline (0 to 3, 4 to 7) run the same stage at the same time: among them a fence anywhere between
// the two accesses suffices (StageFences.h). The other group is in another stage.
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

/// Returns the smallest set of warps among which elements move from registers of type `a` to those of type `b`, both
/// tiles of one shape. An element that several warps hold moves among all of these.
Exchange findExchange(mlir::RankedTensorType a, mlir::RankedTensorType b);

} // namespace hocket

#endif
