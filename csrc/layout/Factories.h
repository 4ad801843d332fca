//===- Factories.h - Users' layouts as linear layouts -----------------------------===//
//
// Each function turns the parameters of one layout class (BlockedLayout, SliceLayout, ...) and a tensor's shape into
// the linear map. Distributed layouts map (register, lane, warp, block) to (dim0, dim1, ...), shared layouts map
// (offset, block) to (dim0, dim1, ...); offsets count elements. The output dimensions are always in the order dim0,
// dim1, ...
//
// A layout that is smaller than the tensor is repeated over additional registers. If the layout is larger than the
// tensor, several lanes and warps hold the same elements. Register bases that would become zero are removed, because
// several registers of a lane would hold the same element.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_FACTORIES_H
#define HOCKET_LAYOUT_FACTORIES_H

#include "layout/LinearLayout.h"

namespace hocket {

using Sizes = std::span<const int64_t>;

/// The four parameters of a BlockedLayout, each with one entry per dimension of the tensor.
struct BlockedParams {
  Sizes sizePerThread, threadsPerWarp, warpsPerCta;
  /// Tensor dimensions from the fastest to the slowest. Registers, lanes and warps all use this order.
  Sizes order;
};

/// Returns the layout in which a lane holds a box of `sizePerThread` elements, a warp is a grid of `threadsPerWarp`
/// lanes, and a block is a grid of `warpsPerCta` warps. The layout is repeated over additional registers until it
/// covers `shape`. Example: a 4 x 8 tile with size [1,2], threads [2,2], warps [2,1], order [1,0]; entries are
/// warp.lane:register
///
///     0.0:0 0.0:1 0.1:0 0.1:1   0.0:2 0.0:3 0.1:2 0.1:3
///     0.2:0 0.2:1 0.3:0 0.3:1   0.2:2 0.2:3 0.3:2 0.3:3
///     1.0:0 1.0:1 1.1:0 1.1:1   1.0:2 1.0:3 1.1:2 1.1:3
///     1.2:0 1.2:1 1.3:0 1.3:1   1.2:2 1.2:3 1.3:2 1.3:3
LinearLayout blockedLayout(Sizes shape, const BlockedParams &params);

/// Repeats `tile` over registers along dimensions in which `tile` is smaller than `shape`. In dimensions in which
/// `tile` is larger than `shape`, high output bits are dropped, so that several lanes or warps hold the same element.
/// The order of the outputs of `tile` is the order of repetition. The outputs of the result are in the order dim0,
/// dim1, ...
LinearLayout fitToShape(const LinearLayout &tile, Sizes shape);

/// Returns the shape of one block's part if a tile of `shape` is distributed over the blocks of a cluster. Row i of
/// `cluster` is the distance, counted in parts, by which bit i of the block's rank moves the block's part within the
/// tile. A row has one entry that is a power of two, or only zeros if blocks that differ in bit i hold copies of the
/// same part.
std::vector<int64_t> partOfBlock(Sizes shape, const BasisRows &cluster);
/// Extends `part`, the layout of one block's part, to the whole tile. Each row of `cluster`, multiplied by the shape of
/// the part, becomes a basis of the `Block` dimension.
LinearLayout dealToBlocks(const LinearLayout &part, Sizes shape, const BasisRows &cluster);
/// Returns the layout of a tile of `shape` that is distributed over a cluster. `layoutOfPart` maps the shape of one
/// block's part to the layout of the part.
template <typename LayoutOfPart>
LinearLayout overCluster(Sizes shape, const BasisRows &cluster, LayoutOfPart layoutOfPart) {
  if (cluster.empty())
    return layoutOfPart(shape);
  std::vector<int64_t> part = partOfBlock(shape, cluster);
  return dealToBlocks(layoutOfPart(Sizes(part)), shape, cluster);
}

/// Returns `parent` without tensor dimension `dim`. The dimensions after `dim` are renumbered. Dimension `dim` of
/// `parent` must have size 1.
LinearLayout sliceLayout(const LinearLayout &parent, unsigned dim);

/// Returns a layout with the given bases. Each row contains the tensor coordinates of one input bit. The outputs have
/// the sizes `shape`.
LinearLayout distributedFromBases(const BasisRows &reg, const BasisRows &lane, const BasisRows &warp,
                                  const BasisRows &block, Sizes shape);
LinearLayout sharedFromBases(const BasisRows &offset, const BasisRows &block, Sizes shape);

/// Returns the layout of operand `opIdx` of a dot that is computed with fused multiply-add instructions. The
/// accumulator of the dot has the BlockedLayout `parent`. Along M (operand 0) or N (operand 1), the elements are
/// distributed as in `parent`. Along K (the last dimension of operand 0, the second to last of operand 1), every lane
/// holds all elements.
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

/// Returns the offset, including padding, of the element that has the offset `offset` without padding: offset + sum
/// (offset / interval) * padding.
int64_t paddedOffset(int64_t offset, std::span<const Padding> pairs);
/// Returns the size, in elements, of a buffer that holds `count` elements and the padding between these elements. No
/// padding follows the last element.
int64_t paddedSize(int64_t count, std::span<const Padding> pairs);

} // namespace hocket

#endif
