//===- WarpExchange.h - Determines the warps that exchange elements of a tile -----===//
//
// For two accesses of a tile, determines the warps that access the same element. If the same warp makes both accesses
// of each element, program order orders the accesses, and no wait is needed. The warps of one group of a warp pipeline
// (0 to 3, or 4 to 7) are in the same stage at the same time: a fence anywhere between the two accesses suffices
// (StageFences.h). The other group of the warp pipeline is in another stage.
//
// Example with sixteen elements and eight warps. For each element, the table shows the warp that accesses it:
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

/// Returns the smallest set of warps that exchange data if one access uses the layout of type `a` and the other access
/// uses the layout of type `b`. If several warps hold an element, all of them belong to the set.
Exchange findExchange(mlir::RankedTensorType a, mlir::RankedTensorType b);

/// Returns a type of `size` elements along `axis`. A lane that holds an element in `type` holds all elements along
/// `axis` at the element's other coordinates. An access that selects elements along `axis` at run time accesses some of
/// these elements.
mlir::RankedTensorType withWholeAxis(mlir::RankedTensorType type, unsigned axis, int64_t size);

} // namespace hocket

#endif
