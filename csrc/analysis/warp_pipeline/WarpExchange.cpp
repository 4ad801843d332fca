//===- WarpExchange.cpp - Determines the warps that exchange elements of a tile ---===//
//
// The layouts of `a` and `b` are linear maps. Let V be the span of the register and lane bases of both layouts. Warp v
// of `a` and warp w of `b` hold a common element exactly if a(v) ^ b(w) is in V, where a(v) and b(w) are the first
// elements of the two warps.
//
//===------------------------------------------------------------------------------===//
#include "analysis/warp_pipeline/WarpExchange.h"

#include "dialect/hk/layouts/Layouts.h"
#include "layout/F2Span.h"

using namespace mlir;

namespace hocket {

static constexpr unsigned kWarpsPerGroup = hk::HkDialect::kWarpsPerGroup;

/// Maximum number of groups whose exchanges are distinguished: the maximum of 32 warps of a block, divided by four.
static constexpr unsigned kMaxGroups = 8;

void Exchange::addWarps(unsigned a, unsigned b) {
  unsigned first = a / kWarpsPerGroup, second = b / kWarpsPerGroup;
  kind = std::max(kind, first == second ? WithinGroup : BetweenGroups);
  pairs |= uint64_t(1) << (kMaxGroups * first + second);
}

unsigned Exchange::lagIn(ArrayRef<unsigned> lags) const {
  unsigned lag = 0;
  for (unsigned a = 0; a < lags.size(); ++a)
    for (unsigned b = 0; b < lags.size(); ++b)
      if (pairs >> (kMaxGroups * a + b) & 1)
        lag = std::max(lag, lags[a] > lags[b] ? lags[a] - lags[b] : lags[b] - lags[a]);
  return lag;
}

/// Returns the XOR of those `bases` whose bits are set in `index`.
static uint64_t combine(std::span<const uint64_t> bases, unsigned index) {
  uint64_t word = 0;
  for (unsigned bit = 0; bit < bases.size(); ++bit)
    if (index >> bit & 1)
      word ^= bases[bit];
  return word;
}

Exchange findExchange(RankedTensorType a, RankedTensorType b) {
  if (a.getShape() != b.getShape() || !a.getEncoding() || !b.getEncoding())
    return Exchange::BetweenGroups;
  LinearLayout left = hk::toLinearLayout(a), right = hk::toLinearLayout(b);
  F2Span withinWarps;
  for (const LinearLayout *layout : {&left, &right})
    for (Dim dim : {Dim::Register, Dim::Lane})
      if (layout->hasInDim(dim))
        for (uint64_t basis : layout->getFlatBases(dim))
          withinWarps.insert(basis);
  unsigned warps = std::max(left.getInDimSize(Dim::Warp), right.getInDimSize(Dim::Warp));
  auto basesOf = [](const LinearLayout &layout) {
    return layout.hasInDim(Dim::Warp) ? layout.getFlatBases(Dim::Warp) : std::span<const uint64_t>();
  };
  Exchange exchange;
  for (unsigned v = 0; v < warps; ++v)
    for (unsigned w = 0; w < warps; ++w)
      if (v != w && withinWarps.contains(combine(basesOf(left), v) ^ combine(basesOf(right), w)))
        exchange.addWarps(v, w);
  return exchange;
}

RankedTensorType withWholeAxis(RankedTensorType type, unsigned axis, int64_t size) {
  hk::LinearAttr linear = hk::linearAttrOf(type.getContext(), hk::toLinearLayout(type));
  hk::BasisRows reg = linear.getReg(), lane = linear.getLane(), warp = linear.getWarp();
  for (hk::BasisRows *rows : {&reg, &lane, &warp})
    for (std::vector<int32_t> &row : *rows)
      row[axis] = 0;
  for (int32_t bit = 1; bit < size; bit *= 2) {
    std::vector<int32_t> row(type.getRank(), 0);
    row[axis] = bit;
    reg.push_back(row);
  }
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  auto layout = hk::LinearAttr::get(type.getContext(), reg, lane, warp, linear.getBlock(), shape);
  return RankedTensorType::get(shape, type.getElementType(), layout);
}

} // namespace hocket
