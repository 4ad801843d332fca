//===- DirectCopy.cpp - Direct copies from global into shared memory (no scatter) -===//
#include "layout/DirectCopy.h"

namespace hocket {

DirectCopy planDirectCopy(const LinearLayout &toOffset, int32_t width, int32_t warpSize,
                          std::span<const Padding> paddings, int32_t startBits) {
  DirectCopy plan;
  auto fail = [&](DirectCopyProblem problem, int64_t found, int32_t lane = 0) {
    plan.problem = problem;
    plan.found = found;
    plan.lane = lane;
    return plan;
  };
  plan.access = planVectorAccess(toOffset, width);
  if (plan.access.width < width)
    return fail(DirectCopyProblem::Registers, plan.access.width);

  for (int32_t lane = 1; lane < warpSize; lane *= 2) {
    int32_t offset = toOffset.apply({{Dim::Lane, lane % toOffset.getInDimSize(Dim::Lane)}})[Dim::Offset];
    if (offset != lane * width)
      return fail(DirectCopyProblem::Lanes, offset, lane);
  }

  int32_t piece = warpSize * width;
  for (const std::vector<int32_t> &group : plan.access.groups)
    if (int32_t within = toOffset.apply({{Dim::Register, group.front()}})[Dim::Offset] % piece)
      return fail(DirectCopyProblem::Pieces, within);
  for (unsigned bit = 0; bit < toOffset.getInDimSizeLog2(Dim::Warp); ++bit)
    if (int32_t within = toOffset.getBasis(Dim::Warp, bit, Dim::Offset) % piece)
      return fail(DirectCopyProblem::Pieces, within);

  for (auto [interval, padding] : paddings)
    if (interval % piece)
      return fail(DirectCopyProblem::Padding, interval);
  for (auto [interval, padding] : paddings)
    if (padding % width)
      return fail(DirectCopyProblem::PaddingSize, padding);
  if (startBits % piece)
    return fail(DirectCopyProblem::ViewStart, startBits % piece);
  return plan;
}

} // namespace hocket
