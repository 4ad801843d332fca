//===- Factories.h - Users' layouts as linear layouts -----------------------------===//
//
// Each function turns the parameters of one layout class (BlockedLayout, SliceLayout, ...) and a tensor's shape into
// the linear map. Distributed layouts map (register, lane, warp, block) to (dim0, dim1, ...), shared layouts map
// (offset, block) to (dim0, dim1, ...); offsets count elements. Output dimensions are always listed dim0 first.
//
// A tensor larger than the layout is covered by more registers. The elements of a smaller tensor are held by several
// lanes and warps at once. Registers are never copies: register bases that would be zero are removed.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_FACTORIES_H
#define HOCKET_LAYOUT_FACTORIES_H

#include "layout/LinearLayout.h"

namespace hocket {

using Sizes = std::span<const int64_t>;

/// The four parameters of a BlockedLayout; all of the same length.
struct BlockedParams {
  Sizes sizePerThread, threadsPerWarp, warpsPerCta;
  /// order[0] is the fastest dimension among registers, lanes and warps alike.
  Sizes order;
};

/// Returns the layout in which a lane holds a box of `sizePerThread` elements, a warp is a grid of `threadsPerWarp`
/// lanes, and a block is a grid of `warpsPerCta` warps. The layout is repeated up to the shape. Example: a 4 x 8 tile
/// with size [1,2], threads [2,2], warps [2,1], order [1,0]; entries are warp.lane:register
///
///     0.0:0 0.0:1 0.1:0 0.1:1   0.0:2 0.0:3 0.1:2 0.1:3
///     0.2:0 0.2:1 0.3:0 0.3:1   0.2:2 0.2:3 0.3:2 0.3:3
///     1.0:0 1.0:1 1.1:0 1.1:1   1.0:2 1.0:3 1.1:2 1.1:3
///     1.2:0 1.2:1 1.3:0 1.3:1   1.2:2 1.2:3 1.3:2 1.3:3
LinearLayout blockedLayout(Sizes shape, const BlockedParams &params);

/// Repeats `tile` over registers along dimensions in which `tile` is smaller than `shape`. In dimensions in which
/// `tile` is larger, bits are dropped, so that several lanes or warps hold an element. Outputs of `tile` are listed in
/// the order of repetition, and outputs of the result in the order dim0, dim1, ...
LinearLayout fitToShape(const LinearLayout &tile, Sizes shape);

/// Returns the shape of the part of a tile of `shape` that each block of a cluster holds. Row i of `cluster` is the
/// contribution of bit i of the block's rank to the position of the block's part, in units of parts. The contribution
/// is a power of two along one dimension, or zeros if the bit selects copies.
std::vector<int64_t> partOfBlock(Sizes shape, const BasisRows &cluster);
/// Extends `part`, the layout of one block's part, to the whole tile. The bases of the result's `Block` dimension are
/// `cluster`, in units of parts.
LinearLayout dealToBlocks(const LinearLayout &part, Sizes shape, const BasisRows &cluster);
/// Returns the layout of a tile of `shape` in a cluster. `layoutOfPart` returns, for the shape of one block's part, the
/// layout of the part.
template <typename LayoutOfPart>
LinearLayout overCluster(Sizes shape, const BasisRows &cluster, LayoutOfPart layoutOfPart) {
  if (cluster.empty())
    return layoutOfPart(shape);
  std::vector<int64_t> part = partOfBlock(shape, cluster);
  return dealToBlocks(layoutOfPart(Sizes(part)), shape, cluster);
}

/// Returns `parent` without tensor dimension `dim`; later dimensions move down by one. `parent` must be the layout of
/// the shape with a 1 inserted at `dim`.
LinearLayout sliceLayout(const LinearLayout &parent, unsigned dim);

/// Builds a layout from rows of tensor coordinates, one row per input bit; the sizes of the outputs are `shape`.
LinearLayout distributedFromBases(const BasisRows &reg, const BasisRows &lane, const BasisRows &warp,
                                  const BasisRows &block, Sizes shape);
LinearLayout sharedFromBases(const BasisRows &offset, const BasisRows &block, Sizes shape);

/// Returns the layout of operand `opIdx` of a dot that is computed with fused multiply-adds and whose accumulator has
/// the Blocked layout `parent`. Along M (operand 0) or N (operand 1), the elements are distributed as in `parent`;
/// every lane holds the whole K dimension (the last of operand 0, the second to last of operand 1).
LinearLayout fmaDotOperandLayout(unsigned opIdx, Sizes shape, const BlockedParams &parent);

/// Returns a shared layout that permutes the vectors of `vec` elements within each row: in row r, vector v is stored at
/// v ^ ((r / perPhase) % maxPhase). Dimension `order[0]` runs along a row, `order[1]` counts the rows of a plane, and
/// further dimensions count the planes. Example: a 4 x 8 tile with vec 2, perPhase 1, maxPhase 4 (columns by offset):
///
///     row 0   0 1  2 3  4 5  6 7
///     row 1   2 3  0 1  6 7  4 5
///     row 2   4 5  6 7  0 1  2 3
///     row 3   6 7  4 5  2 3  0 1
LinearLayout swizzledSharedLayout(Sizes shape, int64_t vec, int64_t perPhase, int64_t maxPhase, Sizes order);

/// A pair (interval, padding) in elements: `padding` unused elements follow every `interval` elements.
using Padding = std::pair<int64_t, int64_t>;

/// Returns the offset with padding of element `offset`: offset + sum (offset / interval) * padding.
int64_t paddedOffset(int64_t offset, std::span<const Padding> pairs);
/// Returns the size, in elements, of a buffer of `count` elements and the padding between these elements. No padding
/// follows the last element.
int64_t paddedSize(int64_t count, std::span<const Padding> pairs);

} // namespace hocket

#endif
