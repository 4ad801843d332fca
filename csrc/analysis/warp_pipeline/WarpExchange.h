//===- WarpExchange.h - Among which warps the elements of a tile move -------------===//
//
// Of two accesses of a tile: which warps touch the same element? If each element is with one warp, the same in both,
// a warp meets only its own accesses there, which are in order, and nothing has to be waited for. Warps of one group of
// a warp pipeline (0 to 3, 4 to 7) run the same stage at the same time: among them a fence anywhere between the two
// accesses will do (StageFences.h). The other group is in another stage.
//
// Sixteen elements, eight warps; each element shows the warp that holds it:
//
//     one access                       0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7
//     and another, of other lanes      0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7    within each warp
//     warps take turns in each half    0 1 2 3 0 1 2 3 4 5 6 7 4 5 6 7    within each group
//     warps take turns                 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7    between the groups
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_WARPEXCHANGE_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_WARPEXCHANGE_H

#include "dialect/hk/HkDialect.h"

namespace hocket {

enum class Exchange : uint8_t { WithinWarp, WithinGroup, BetweenGroups };

/// The fewest warps among which elements move from registers of type `a` to those of type `b`, both tiles of one shape.
/// What several warps hold moves among all these.
Exchange findExchange(mlir::RankedTensorType a, mlir::RankedTensorType b);

} // namespace hocket

#endif
