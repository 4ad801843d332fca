//===- LinearLayoutAlgebra.cpp - Product, composition, inverse, quotient ----------===//
#include "layout/F2Span.h"
#include "layout/LinearLayout.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace hocket {

LinearLayout LinearLayout::operator*(const LinearLayout &outer) const {
  auto join = [](const DimList &low, const DimList &high) {
    DimList dims = low;
    for (const DimBits &dim : high)
      if (int i = find(dims, dim.dim); i >= 0)
        dims[i].bits += dim.bits;
      else
        dims.push_back(dim);
    return dims;
  };
  LinearLayout product = zeros(join(ins, outer.ins), join(outs, outer.outs));

  // Moves the bits of `value`, a flattened tuple of the dimensions `from`, to their positions in a flattened tuple of
  // `product.outs`.
  auto place = [&](uint64_t value, const DimList &from, bool isOuter) {
    uint64_t placed = 0;
    for (const DimBits &dim : from) {
      unsigned shift = shiftOf(product.outs, find(product.outs, dim.dim)) + (isOuter ? getOutDimSizeLog2(dim.dim) : 0);
      uint64_t digit = value & ((uint64_t(1) << dim.bits) - 1);
      placed |= dim.bits ? digit << shift : 0;
      value >>= dim.bits;
    }
    return placed;
  };
  unsigned column = 0;
  for (const DimBits &in : product.ins) {
    for (uint64_t basis : getFlatBases(in.dim))
      product.columns[column++] = place(basis, outs, false);
    for (uint64_t basis : outer.getFlatBases(in.dim))
      product.columns[column++] = place(basis, outer.outs, true);
  }
  return product;
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  assert(outs.size() == outer.ins.size() && "compose: the dimensions in between differ");
  LinearLayout result = zeros(ins, outer.outs);
  // Image under `outer` of each bit of this layout's flattened output.
  std::array<uint64_t, kMaxBits> image{};
  unsigned bit = 0;
  for (const DimBits &mid : outs) {
    std::span<const uint64_t> bases = outer.getFlatBases(mid.dim);
    assert(outer.hasInDim(mid.dim) && bases.size() >= mid.bits && "compose: outer is too small");
    for (unsigned i = 0; i < mid.bits; ++i)
      image[bit++] = bases[i];
  }
  for (unsigned i = 0, e = getTotalInBits(); i < e; ++i)
    for (uint64_t rest = columns[i]; rest; rest &= rest - 1)
      result.columns[i] ^= image[std::countr_zero(rest)];
  return result;
}

LinearLayout LinearLayout::pseudoinvert() const {
  assert(isSurjective() && "only a surjective layout has a right inverse");
  LinearLayout inverse = zeros(outs, ins);
  F2Span span(getFlatBases());
  for (unsigned i = 0, e = getTotalOutBits(); i < e; ++i)
    inverse.columns[i] = *span.solve(uint64_t(1) << i);
  return inverse;
}

LinearLayout LinearLayout::invert() const {
  assert(isInvertible() && "not a bijection");
  return pseudoinvert();
}

LinearLayout LinearLayout::invertAndCompose(const LinearLayout &other) const {
  assert(outs.size() == other.outs.size() && "invertAndCompose: the outputs differ");
  LinearLayout result = zeros(ins, other.ins);
  // `self` is this layout with the outputs of `other`, in the same order and of the same sizes. A flattened output then
  // represents the same tuple in both layouts.
  BoundedVector<Dim, kMaxDims> order;
  for (const DimBits &out : other.outs)
    order.push_back(out.dim);
  LinearLayout self = transposeOuts(order);
  if (!std::equal(self.outs.begin(), self.outs.end(), other.outs.begin(), other.outs.end())) {
    LinearLayout widened = zeros(self.ins, other.outs);
    for (unsigned i = 0, e = self.getTotalInBits(); i < e; ++i)
      widened.columns[i] = widened.flattenOut(self.unflattenOut(self.columns[i]));
    self = widened;
  }

  F2Span span(other.getFlatBases());
  unsigned column = 0;
  for (const DimBits &in : ins) {
    std::span<const uint64_t> sameDim = other.getFlatBases(in.dim);
    for (unsigned bit = 0; bit < in.bits; ++bit, ++column) {
      uint64_t element = self.columns[column];
      if (bit < sameDim.size() && sameDim[bit] == element) {
        result.columns[column] = uint64_t(1) << (sameDim.data() + bit - other.columns.data());
        continue;
      }
      std::optional<uint64_t> holder = span.solve(element);
      assert(holder && "invertAndCompose: `other` does not reach an element of this layout");
      result.columns[column] = holder.value_or(0);
    }
  }
  return result;
}

std::optional<LinearLayout> LinearLayout::divideLeft(const LinearLayout &inner) const {
  DimList quotientIns = ins, quotientOuts = outs;
  auto shrink = [](DimList &dims, const DimList &by) {
    for (const DimBits &dim : by) {
      int i = find(dims, dim.dim);
      if (i < 0 ? dim.bits > 0 : dims[i].bits < dim.bits)
        return false;
      if (i >= 0)
        dims[i].bits -= dim.bits;
    }
    return true;
  };
  if (!shrink(quotientIns, inner.ins) || !shrink(quotientOuts, inner.outs))
    return std::nullopt;

  LinearLayout quotient = zeros(quotientIns, quotientOuts);
  for (unsigned i = 0, column = 0; i < ins.size(); ++i) {
    std::span<const uint64_t> bases = getFlatBases(ins[i].dim);
    unsigned skipped = inner.getInDimSizeLog2(ins[i].dim);
    for (unsigned bit = skipped; bit < bases.size(); ++bit) {
      Coords value = unflattenOut(bases[bit]);
      for (DimIndex &item : value)
        item.index >>= inner.getOutDimSizeLog2(item.dim);
      quotient.columns[column++] = quotient.flattenOut(value);
    }
  }
  // Verifies the quotient: inner * quotient, with the dimensions in the order of this layout, must equal this layout.
  LinearLayout product = zeros(ins, outs);
  LinearLayout check = inner * quotient;
  for (unsigned i = 0, column = 0; i < ins.size(); ++i)
    for (uint64_t basis : check.getFlatBases(ins[i].dim))
      product.columns[column++] = product.flattenOut(check.unflattenOut(basis));
  if (product != *this)
    return std::nullopt;
  return quotient;
}

} // namespace hocket
