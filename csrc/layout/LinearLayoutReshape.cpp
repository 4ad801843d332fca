//===- LinearLayoutReshape.cpp - Selection, order and size of dimensions ----------===//
#include "layout/LinearLayout.h"

#include <algorithm>
#include <cassert>

namespace hocket {

static bool isIn(Dim dim, std::span<const Dim> dims) { return std::ranges::find(dims, dim) != dims.end(); }

LinearLayout LinearLayout::sublayout(std::span<const Dim> inDims, std::span<const Dim> outDims) const {
  DimList keptIns, keptOuts;
  for (const DimBits &in : ins)
    if (isIn(in.dim, inDims))
      keptIns.push_back(in);
  for (const DimBits &out : outs)
    if (isIn(out.dim, outDims))
      keptOuts.push_back(out);

  LinearLayout result = zeros(keptIns, keptOuts);
  unsigned column = 0;
  for (const DimBits &in : keptIns)
    for (uint64_t basis : getFlatBases(in.dim)) {
      uint64_t projected = 0;
      unsigned from = 0, to = 0;
      for (const DimBits &out : outs) {
        if (out.bits && isIn(out.dim, outDims)) {
          projected |= (basis >> from & ((uint64_t(1) << out.bits) - 1)) << to;
          to += out.bits;
        }
        from += out.bits;
      }
      result.columns[column++] = projected;
    }
  return result;
}

LinearLayout LinearLayout::transposeIns(std::span<const Dim> order) const {
  assert(order.size() == ins.size() && "transposeIns: not a permutation");
  DimList newIns;
  for (Dim dim : order) {
    assert(hasInDim(dim));
    newIns.push_back({dim, uint8_t(getInDimSizeLog2(dim))});
  }
  LinearLayout result = zeros(newIns, outs);
  unsigned column = 0;
  for (Dim dim : order)
    for (uint64_t basis : getFlatBases(dim))
      result.columns[column++] = basis;
  return result;
}

LinearLayout LinearLayout::transposeOuts(std::span<const Dim> order) const {
  assert(order.size() == outs.size() && "transposeOuts: not a permutation");
  DimList newOuts;
  for (Dim dim : order) {
    assert(hasOutDim(dim));
    newOuts.push_back({dim, uint8_t(getOutDimSizeLog2(dim))});
  }
  LinearLayout result = zeros(ins, newOuts);
  for (unsigned i = 0, e = getTotalInBits(); i < e; ++i)
    result.columns[i] = result.flattenOut(unflattenOut(columns[i]));
  return result;
}

LinearLayout LinearLayout::reshapeIns(std::span<const DimBits> newIns) const {
  LinearLayout result = zeros(newIns, outs);
  assert(result.getTotalInBits() == getTotalInBits() && "reshapeIns: sizes differ");
  result.columns = columns;
  return result;
}

LinearLayout LinearLayout::reshapeOuts(std::span<const DimBits> newOuts) const {
  LinearLayout result = zeros(ins, newOuts);
  assert(result.getTotalOutBits() == getTotalOutBits() && "reshapeOuts: sizes differ");
  result.columns = columns;
  return result;
}

LinearLayout LinearLayout::flattenIns(Dim name) const { return reshapeIns(DimList{{name, uint8_t(getTotalInBits())}}); }

LinearLayout LinearLayout::flattenOuts(Dim name) const {
  return reshapeOuts(DimList{{name, uint8_t(getTotalOutBits())}});
}

LinearLayout LinearLayout::removeZeroBases(Dim in) const {
  DimList newIns;
  std::array<uint64_t, kMaxBits> kept{};
  unsigned column = 0;
  for (const DimBits &dim : ins) {
    unsigned first = column;
    for (uint64_t basis : getFlatBases(dim.dim))
      if (basis || dim.dim != in)
        kept[column++] = basis;
    newIns.push_back({dim.dim, uint8_t(column - first)});
  }
  LinearLayout result = zeros(newIns, outs);
  result.columns = kept;
  return result;
}

LinearLayout LinearLayout::ensureNotLargerThan(std::span<const DimBits> shape) const {
  DimList newOuts = outs;
  for (const DimBits &limit : shape)
    if (int i = find(newOuts, limit.dim); i >= 0)
      newOuts[i].bits = std::min(newOuts[i].bits, limit.bits);
  LinearLayout result = zeros(ins, newOuts);
  for (unsigned i = 0, e = getTotalInBits(); i < e; ++i) {
    Coords value = unflattenOut(columns[i]);
    for (size_t d = 0; d < value.size(); ++d)
      value[d].index &= newOuts[d].size() - 1;
    result.columns[i] = result.flattenOut(value);
  }
  return result;
}

LinearLayout LinearLayout::ensureNotSmallerThan(std::span<const DimBits> shape, Dim grow) const {
  LinearLayout result = *this;
  // The loop follows the order of the outputs, so that repetition runs along the fastest dimension first.
  for (const DimBits &out : outs)
    for (const DimBits &wanted : shape)
      if (wanted.dim == out.dim && wanted.bits > out.bits)
        result *= identity1D(int32_t(1) << (wanted.bits - out.bits), grow, out.dim);
  return result;
}

} // namespace hocket
