//===- VectorAccess.cpp - Grouping of a lane's registers into vector accesses -----===//
#include "layout/VectorAccess.h"

#include "layout/F2Span.h"

#include <algorithm>
#include <bit>

namespace hocket {

/// Returns log2 of the width of the widest vector that fulfills the two conditions at the top of VectorAccess.h.
static unsigned vectorBits(const LinearLayout &toOffset, const F2Span &registers, int32_t maxWidth) {
  uint64_t touchedByOthers = 0;
  for (const DimBits &in : toOffset.getInDims())
    if (in.dim != Dim::Register)
      for (uint64_t basis : toOffset.getFlatBases(in.dim))
        touchedByOthers |= basis;
  unsigned limit = std::min<unsigned>(
      {log2Exact(maxWidth), toOffset.getTotalOutBits(), unsigned(std::countr_zero(touchedByOthers))});
  unsigned bits = 0;
  while (bits < limit && registers.contains(uint64_t(1) << bits))
    ++bits;
  return bits;
}

VectorAccess planVectorAccess(const LinearLayout &toOffset, int32_t maxWidth) {
  std::span<const uint64_t> bases = toOffset.getFlatBases(Dim::Register);
  F2Span registers(bases);
  VectorAccess plan;
  plan.width = int32_t(1) << vectorBits(toOffset, registers, maxWidth);

  int32_t count = toOffset.getInDimSize(Dim::Register);
  plan.representative.resize(count);
  std::vector<uint64_t> offsets(count, 0);
  for (int32_t reg = 1; reg < count; ++reg)
    offsets[reg] = offsets[reg & (reg - 1)] ^ bases[std::countr_zero(uint32_t(reg))];
  for (int32_t reg = 0; reg < count; ++reg) {
    plan.representative[reg] = int32_t(*registers.solve(offsets[reg]));
    if (plan.representative[reg] != reg || offsets[reg] % plan.width)
      continue;
    std::vector<int32_t> &group = plan.groups.emplace_back(plan.width);
    for (int32_t i = 0; i < plan.width; ++i)
      group[i] = int32_t(*registers.solve(offsets[reg] + i));
  }
  return plan;
}

int32_t widestVector(int32_t maxAccessBits, int32_t elementBits, std::span<const Padding> paddings, int32_t startBits) {
  uint64_t alignedTo = uint64_t(std::max(1, maxAccessBits / elementBits)) | uint64_t(uint32_t(startBits));
  for (auto [interval, padding] : paddings)
    alignedTo |= uint64_t(interval | padding);
  return int32_t(1) << std::countr_zero(alignedTo);
}

} // namespace hocket
