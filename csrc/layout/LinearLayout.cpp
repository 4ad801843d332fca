//===- LinearLayout.cpp - Construction and properties of linear layouts -----------===//
#include "layout/LinearLayout.h"

#include "layout/F2Span.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace hocket {

std::string_view dimName(Dim dim) {
  static constexpr std::string_view names[] = {"register", "lane", "warp", "block", "offset",
                                               "dim0",     "dim1", "dim2", "dim3",  "dim4"};
  return names[static_cast<unsigned>(dim)];
}

unsigned log2Exact(int64_t value) {
  assert(value > 0 && std::has_single_bit(uint64_t(value)) && "not a power of two");
  return std::countr_zero(uint64_t(value));
}

bool Coords::operator==(const Coords &other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

// Lists of dimensions -------------------------------------------------------------------------------------------------

int LinearLayout::find(const DimList &dims, Dim dim) {
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i].dim == dim)
      return int(i);
  return -1;
}

unsigned LinearLayout::bitsOf(const DimList &dims, Dim dim) {
  int i = find(dims, dim);
  return i < 0 ? 0 : dims[i].bits;
}

unsigned LinearLayout::totalBits(const DimList &dims) { return shiftOf(dims, int(dims.size())); }

unsigned LinearLayout::shiftOf(const DimList &dims, int i) {
  unsigned shift = 0;
  for (int k = 0; k < i; ++k)
    shift += dims[k].bits;
  return shift;
}

uint64_t LinearLayout::flatten(const DimList &dims, std::span<const DimIndex> index) {
  uint64_t flat = 0;
  for (const DimIndex &item : index) {
    int i = find(dims, item.dim);
    assert((i >= 0 || item.index == 0) && "a coordinate of a dimension that the layout lacks");
    if (i < 0)
      continue;
    assert(uint32_t(item.index) < (uint64_t(1) << dims[i].bits) && "coordinate out of range");
    flat |= uint64_t(item.index) << shiftOf(dims, i);
  }
  return flat;
}

Coords LinearLayout::unflatten(const DimList &dims, uint64_t index) {
  Coords coords;
  for (const DimBits &dim : dims) {
    coords.push_back({dim.dim, int32_t(index & ((uint64_t(1) << dim.bits) - 1))});
    index >>= dim.bits;
  }
  return coords;
}

// Construction --------------------------------------------------------------------------------------------------------

LinearLayout LinearLayout::zeros(std::span<const DimBits> ins, std::span<const DimBits> outs) {
  LinearLayout layout;
  for (const DimBits &dim : ins)
    layout.ins.push_back(dim);
  for (const DimBits &dim : outs)
    layout.outs.push_back(dim);
  assert(layout.getTotalInBits() <= kMaxBits && layout.getTotalOutBits() <= kMaxBits && "layout too large");
  return layout;
}

LinearLayout LinearLayout::identity1D(int32_t size, Dim in, Dim out) {
  uint8_t bits = log2Exact(size);
  LinearLayout layout = zeros(DimList{{in, bits}}, DimList{{out, bits}});
  for (unsigned i = 0; i < bits; ++i)
    layout.columns[i] = uint64_t(1) << i;
  return layout;
}

LinearLayout LinearLayout::zeros1D(int32_t size, Dim in, Dim out, int32_t outSize) {
  return zeros(DimList{{in, uint8_t(log2Exact(size))}}, DimList{{out, uint8_t(log2Exact(outSize))}});
}

LinearLayout LinearLayout::fromBases(std::span<const std::pair<Dim, BasisRows>> bases, std::span<const DimBits> outs) {
  LinearLayout layout = zeros({}, outs);
  unsigned column = 0;
  for (const auto &[dim, rows] : bases) {
    layout.ins.push_back({dim, uint8_t(rows.size())});
    for (const std::vector<int32_t> &row : rows) {
      assert(row.size() == outs.size() && column < kMaxBits);
      Coords value;
      for (size_t i = 0; i < row.size(); ++i)
        value.push_back({outs[i].dim, row[i]});
      layout.columns[column++] = layout.flattenOut(value);
    }
  }
  return layout;
}

// Accessors -----------------------------------------------------------------------------------------------------------

std::span<const uint64_t> LinearLayout::getFlatBases(Dim in) const {
  int i = find(ins, in);
  if (i < 0)
    return {};
  return {columns.data() + shiftOf(ins, i), ins[i].bits};
}

int32_t LinearLayout::getBasis(Dim in, unsigned bit, Dim out) const {
  int i = find(outs, out);
  if (i < 0)
    return 0;
  uint64_t value = getFlatBases(in)[bit] >> shiftOf(outs, i);
  return int32_t(value & ((uint64_t(1) << outs[i].bits) - 1));
}

Coords LinearLayout::getBasis(Dim in, unsigned bit) const { return unflattenOut(getFlatBases(in)[bit]); }

void LinearLayout::setBasis(Dim in, unsigned bit, std::span<const DimIndex> value) {
  int i = find(ins, in);
  assert(i >= 0 && bit < ins[i].bits);
  columns[shiftOf(ins, i) + bit] = flattenOut(value);
}

BasisRows LinearLayout::getBasisRows(Dim in) const {
  BasisRows rows;
  for (uint64_t value : getFlatBases(in)) {
    std::vector<int32_t> &row = rows.emplace_back();
    for (const DimIndex &item : unflattenOut(value))
      row.push_back(item.index);
  }
  return rows;
}

uint64_t LinearLayout::applyFlat(uint64_t index) const {
  assert((getTotalInBits() == kMaxBits || index >> getTotalInBits() == 0) && "index out of range");
  uint64_t result = 0;
  for (; index; index &= index - 1)
    result ^= columns[std::countr_zero(index)];
  return result;
}

Coords LinearLayout::apply(std::span<const DimIndex> index) const { return unflattenOut(applyFlat(flattenIn(index))); }

// Properties ----------------------------------------------------------------------------------------------------------

unsigned LinearLayout::getRank() const { return F2Span(getFlatBases()).rank(); }

Coords LinearLayout::getFreeVariableMasks() const {
  Coords masks;
  F2Span seen;
  for (const DimBits &in : ins) {
    int32_t mask = 0;
    std::span<const uint64_t> bases = getFlatBases(in.dim);
    for (unsigned bit = 0; bit < in.bits; ++bit)
      if (!seen.insert(bases[bit]))
        mask |= int32_t(1) << bit;
    masks.push_back({in.dim, mask});
  }
  return masks;
}

bool LinearLayout::sublayoutIsZero(std::span<const Dim> inDims, std::span<const Dim> outDims) const {
  uint64_t watched = 0;
  for (Dim dim : outDims)
    if (int i = find(outs, dim); i >= 0)
      watched |= ((uint64_t(1) << outs[i].bits) - 1) << shiftOf(outs, i);
  for (Dim dim : inDims)
    for (uint64_t basis : getFlatBases(dim))
      if (basis & watched)
        return false;
  return true;
}

int32_t LinearLayout::getNumConsecutiveInOut() const {
  if (ins.empty())
    return 1;
  unsigned count = 0;
  while (count < ins[0].bits && columns[count] == uint64_t(1) << count)
    ++count;
  // If the basis of a later input bit has one of the lowest `count` bits set, some runs of 2^count outputs are not
  // aligned.
  uint64_t others = 0;
  for (unsigned i = count; i < getTotalInBits(); ++i)
    others |= columns[i];
  return int32_t(1) << std::min<unsigned>(count, std::countr_zero(others));
}

bool LinearLayout::operator==(const LinearLayout &other) const {
  return std::equal(ins.begin(), ins.end(), other.ins.begin(), other.ins.end()) &&
         std::equal(outs.begin(), outs.end(), other.outs.begin(), other.outs.end()) &&
         std::ranges::equal(getFlatBases(), other.getFlatBases());
}

size_t LinearLayout::hash() const {
  uint64_t state = 0x9e3779b97f4a7c15;
  auto mix = [&](uint64_t value) {
    state ^= value;
    state *= 0xff51afd7ed558ccd;
    state ^= state >> 32;
  };
  for (const DimList *dims : {&ins, &outs})
    for (const DimBits &dim : *dims)
      mix(uint64_t(dim.dim) << 8 | dim.bits);
  for (uint64_t basis : getFlatBases())
    mix(basis);
  return state;
}

std::string LinearLayout::toString() const {
  // Example of a line: lane (4): 1 -> (1, 1), 2 -> (2, 0)
  std::string text;
  for (const DimBits &in : ins) {
    text += std::string(dimName(in.dim)) + " (" + std::to_string(in.size()) + "):";
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      text += (bit ? ", " : " ") + std::to_string(int64_t(1) << bit) + " -> (";
      Coords value = getBasis(in.dim, bit);
      for (size_t i = 0; i < value.size(); ++i)
        text += (i ? ", " : "") + std::to_string(value[i].index);
      text += ")";
    }
    text += "\n";
  }
  text += "onto (";
  for (size_t i = 0; i < outs.size(); ++i)
    text += (i ? ", " : "") + std::string(dimName(outs[i].dim)) + " " + std::to_string(outs[i].size());
  return text + ")\n";
}

} // namespace hocket
