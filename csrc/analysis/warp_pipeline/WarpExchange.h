//===- WarpExchange.h - Determines the warps that exchange elements of a tile -----===//
//
// For two accesses of a tile, determines the warps that access the same element. If the same warp makes both accesses
// of each element, program order orders the accesses, and no wait is needed. The warps of one group of a warp pipeline
// (0 to 3, 4 to 7, ...) are in the same stage at the same time: a fence anywhere between the two accesses suffices
// (StageFences.h). The other groups of the warp pipeline may be in other stages.
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

/// The warps that exchange data through a tile.
class Exchange {
public:
  enum Kind : uint8_t { WithinWarp, WithinGroup, BetweenGroups };

  /// Creates an exchange of this kind. If data passes between groups, it may pass between any two groups.
  Exchange(Kind kind = WithinWarp) : kind(kind), pairs(kind == BetweenGroups ? ~uint64_t(0) : 0) {}
  operator Kind() const { return kind; }

  /// Adds an exchange between two different warps.
  void addWarps(unsigned a, unsigned b);

  /// Returns the maximum difference between the lags of two groups between which data passes. `lags[g]` is the number
  /// of stages by which group g lags behind group 0. Groups without a lag do not exist.
  unsigned lagIn(llvm::ArrayRef<unsigned> lags) const;

private:
  Kind kind;
  /// Bit 8 * g + h is set if data passes between group g and group h.
  uint64_t pairs;
};

/// Returns the smallest set of warps that exchange data if one access uses the layout of type `a` and the other access
/// uses the layout of type `b`. If several warps hold an element, all of them belong to the set.
Exchange findExchange(mlir::RankedTensorType a, mlir::RankedTensorType b);

/// Returns a type of `size` elements along `axis`. A lane that holds an element in `type` holds all elements along
/// `axis` at the element's other coordinates. An access that selects elements along `axis` at run time accesses some of
/// these elements.
mlir::RankedTensorType withWholeAxis(mlir::RankedTensorType type, unsigned axis, int64_t size);

} // namespace hocket

#endif
