//===- TransposedRead.cpp - Plans for transposing LDS loads (ds_read_b64_tr) ------===//
#include "layout/TransposedRead.h"

#include "layout/F2Span.h"

namespace hocket {

static constexpr int32_t kReadBits = 64;
static constexpr unsigned kGroupLanesLog2 = 4;

/// True if each of the lowest `bits` lane bits changes only the offset bit of the same number, and no other input bit
/// changes these offset bits.
static bool lanesAreNeighbors(const LinearLayout &toOffset, unsigned bits) {
  uint64_t low = (uint64_t(1) << bits) - 1;
  for (const DimBits &in : toOffset.getInDims())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      auto offset = uint64_t(toOffset.getBasis(in.dim, bit, Dim::Offset));
      bool isLow = in.dim == Dim::Lane && bit < bits;
      if (isLow ? offset != uint64_t(1) << bit : offset & low)
        return false;
    }
  return true;
}

std::optional<TransposedRead> planTransposedRead(const LinearLayout &toOffset, int32_t elementBits,
                                                 std::span<const Padding> paddings, int32_t startBits) {
  if (elementBits != 8 && elementBits != 16)
    return std::nullopt;
  int32_t elements = kReadBits / elementBits;
  unsigned bits = log2Exact(elements);
  unsigned registerBits = toOffset.getInDimSizeLog2(Dim::Register), laneBits = toOffset.getInDimSizeLog2(Dim::Lane);
  if (registerBits < bits || laneBits < kGroupLanesLog2 || !lanesAreNeighbors(toOffset, bits) ||
      widestVector(kReadBits, elementBits, paddings, startBits) < elements)
    return std::nullopt;
  // Registers that hold copies are not supported, because their elements would be read more than once.
  if (F2Span(toOffset.getFlatBases(Dim::Register)).rank() < registerBits)
    return std::nullopt;

  TransposedRead read;
  std::vector<DimBits> ins(toOffset.getInDims().begin(), toOffset.getInDims().end());
  for (DimBits &in : ins)
    in.bits -= in.dim == Dim::Register ? uint8_t(bits) : uint8_t(0);
  read.source = LinearLayout::zeros(ins, toOffset.getOutDims());
  auto take = [&](Dim dim, unsigned bit, Dim from, unsigned fromBit) {
    read.source.setBasis(dim, bit, toOffset.getBasis(from, fromBit));
  };
  for (const DimBits &in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      if (in.dim == Dim::Register)
        take(in.dim, bit, in.dim, bit + bits);
      else if (in.dim != Dim::Lane || bit >= kGroupLanesLog2)
        take(in.dim, bit, in.dim, bit);
      else if (bit < kGroupLanesLog2 - bits)
        take(Dim::Lane, bit, Dim::Lane, bit + bits);
      else
        take(Dim::Lane, bit, Dim::Register, bit - (kGroupLanesLog2 - bits));
    }
  for (int32_t first = 0; first < toOffset.getInDimSize(Dim::Register); first += elements) {
    std::vector<int32_t> &group = read.groups.emplace_back();
    for (int32_t j = 0; j < elements; ++j)
      group.push_back(first + j);
  }
  return read;
}

} // namespace hocket
