//===- Factories.cpp - Users' layouts as linear layouts ---------------------------===//
#include "layout/Factories.h"

#include <cassert>

namespace hocket {

using DimList = LinearLayout::DimList;

static DimList tensorDims(Sizes shape) {
  DimList dims;
  for (unsigned i = 0; i < shape.size(); ++i)
    dims.push_back({tensorDim(i), uint8_t(log2Exact(shape[i]))});
  return dims;
}

/// Reorders the outputs of `layout` to dim0, dim1, ...
static LinearLayout inStandardOrder(const LinearLayout &layout) {
  BoundedVector<Dim, LinearLayout::kMaxDims> order;
  for (unsigned i = 0; i < layout.getOutDims().size(); ++i)
    order.push_back(tensorDim(i));
  return layout.transposeOuts(order);
}

/// Returns a layout that maps the indices of `in` to the elements of a box of size `sizes`. Dimension order[0] is the
/// fastest. Indices that differ only along `copiedDim` map to the same element.
static LinearLayout box(Dim in, Sizes sizes, Sizes order, std::optional<unsigned> copiedDim = std::nullopt) {
  LinearLayout layout;
  for (int64_t dim : order)
    layout *= copiedDim == dim ? LinearLayout::zeros1D(sizes[dim], in, tensorDim(dim))
                               : LinearLayout::identity1D(sizes[dim], in, tensorDim(dim));
  return layout;
}

static LinearLayout blockOfOne(unsigned rank) {
  LinearLayout layout;
  for (unsigned i = 0; i < rank; ++i)
    layout *= LinearLayout::identity1D(1, Dim::Block, tensorDim(i));
  return layout;
}

LinearLayout fitToShape(const LinearLayout &tile, Sizes shape) {
  DimList dims = tensorDims(shape);
  LinearLayout fitted = tile.ensureNotLargerThan(dims).removeZeroBases(Dim::Register).ensureNotSmallerThan(dims);
  return inStandardOrder(fitted);
}

std::vector<int64_t> partOfBlock(Sizes shape, const BasisRows &cluster) {
  std::vector<int64_t> part(shape.begin(), shape.end());
  for (const std::vector<int32_t> &row : cluster)
    for (unsigned dim = 0; dim < part.size(); ++dim)
      if (row[dim] && part[dim] > 1)
        part[dim] /= 2;
  return part;
}

LinearLayout dealToBlocks(const LinearLayout &part, Sizes shape, const BasisRows &cluster) {
  DimList ins, outs = tensorDims(shape);
  for (DimBits in : part.getInDims())
    ins.push_back(in.dim == Dim::Block ? DimBits{Dim::Block, uint8_t(cluster.size())} : in);
  LinearLayout layout = LinearLayout::zeros(ins, outs);
  for (DimBits in : part.getInDims())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      layout.setBasis(in.dim, bit, part.getBasis(in.dim, bit));
  for (unsigned bit = 0; bit < cluster.size(); ++bit) {
    Coords place;
    for (DimBits out : outs) {
      int64_t start = int64_t(cluster[bit][tensorDimIndex(out.dim)]) * part.getOutDimSize(out.dim);
      // A part beyond the end of the tile starts at 0, because the block then holds a copy.
      place.push_back({out.dim, start < out.size() ? int32_t(start) : 0});
    }
    layout.setBasis(Dim::Block, bit, place);
  }
  return layout;
}

LinearLayout blockedLayout(Sizes shape, const BlockedParams &params) {
  assert(shape.size() == params.order.size());
  return fitToShape(box(Dim::Register, params.sizePerThread, params.order) *
                        box(Dim::Lane, params.threadsPerWarp, params.order) *
                        box(Dim::Warp, params.warpsPerCta, params.order) * blockOfOne(shape.size()),
                    shape);
}

LinearLayout fmaDotOperandLayout(unsigned opIdx, Sizes shape, const BlockedParams &parent) {
  unsigned rank = shape.size();
  assert(rank >= 2 && opIdx < 2 && rank == parent.order.size());
  unsigned k = opIdx == 0 ? rank - 1 : rank - 2;
  std::vector<int64_t> sizePerThread(parent.sizePerThread.begin(), parent.sizePerThread.end());
  sizePerThread[k] = shape[k];
  return fitToShape(box(Dim::Register, sizePerThread, parent.order) *
                        box(Dim::Lane, parent.threadsPerWarp, parent.order, k) *
                        box(Dim::Warp, parent.warpsPerCta, parent.order, k) * blockOfOne(rank),
                    shape);
}

LinearLayout sliceLayout(const LinearLayout &parent, unsigned dim) {
  std::span<const DimBits> outs = parent.getOutDims();
  assert(dim < outs.size() && outs[dim].bits == 0 && "the parent's layout must be that of the expanded shape");
  DimList sliced;
  for (unsigned i = 0; i < outs.size(); ++i)
    if (i != dim)
      sliced.push_back({tensorDim(sliced.size()), outs[i].bits});
  // The removed dimension `dim` has size 1, so the reshape only renames dimensions.
  return parent.reshapeOuts(sliced).removeZeroBases(Dim::Register);
}

LinearLayout distributedFromBases(const BasisRows &reg, const BasisRows &lane, const BasisRows &warp,
                                  const BasisRows &block, Sizes shape) {
  const std::pair<Dim, BasisRows> bases[] = {
      {Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}, {Dim::Block, block}};
  return LinearLayout::fromBases(bases, tensorDims(shape));
}

LinearLayout sharedFromBases(const BasisRows &offset, const BasisRows &block, Sizes shape) {
  const std::pair<Dim, BasisRows> bases[] = {{Dim::Offset, offset}, {Dim::Block, block}};
  return LinearLayout::fromBases(bases, tensorDims(shape));
}

LinearLayout swizzledSharedLayout(Sizes shape, int64_t vec, int64_t perPhase, int64_t maxPhase, Sizes order) {
  LinearLayout plain = inStandardOrder(box(Dim::Offset, shape, order) * blockOfOne(shape.size()));
  if (shape.size() < 2 || maxPhase == 1)
    return plain;
  Dim columnDim = tensorDim(order[0]), rowDim = tensorDim(order[1]);
  int64_t columns = shape[order[0]], rows = shape[order[1]];
  unsigned firstRowBit = log2Exact(columns);
  for (int64_t row = 1, bit = 0; row < rows; row *= 2, ++bit) {
    // Column of the element that is stored at the start of row `row`. The XOR terms of rows 1, 2, 4, ... have no common
    // bits, so the XOR of several terms is their sum.
    int64_t column = vec * ((row / perPhase) % maxPhase) % columns;
    const DimIndex value[] = {{rowDim, int32_t(row)}, {columnDim, int32_t(column)}};
    plain.setBasis(Dim::Offset, firstRowBit + bit, value);
  }
  return plain;
}

int64_t paddedOffset(int64_t offset, std::span<const Padding> pairs) {
  int64_t padded = offset;
  for (auto [interval, padding] : pairs)
    padded += offset / interval * padding;
  return padded;
}

int64_t paddedSize(int64_t count, std::span<const Padding> pairs) { return paddedOffset(count - 1, pairs) + 1; }

} // namespace hocket
