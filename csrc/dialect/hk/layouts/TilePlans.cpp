//===- TilePlans.cpp - The plans of csrc/plans for types of this dialect -----------===//
#include "dialect/hk/layouts/TilePlans.h"

#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"

using namespace mlir;

namespace hocket::hk {

unsigned storageBits(Type elementType) {
  if (isa<PointerType>(elementType))
    return 64;
  return std::max(8u, elementType.getIntOrFloatBitWidth());
}

std::optional<ConvertLayoutPlan> planConvertLayout(RankedTensorType src, RankedTensorType dst,
                                                   const TargetInfo &target) {
  return hocket::planConvertLayout(toLinearLayout(src), toLinearLayout(dst), storageBits(src.getElementType()), target);
}

/// Returns the layout of the part of a tensor that one block of a cluster holds.
static LinearLayout ofBlock(RankedTensorType type) {
  LinearLayout layout = toLinearLayout(type);
  return layout.getInDimSizeLog2(Dim::Block) ? withinBlock(layout).value_or(layout) : layout;
}

ReducePlan planReduce(RankedTensorType src, unsigned axis) {
  LinearLayout layout = ofBlock(src);
  auto reduced = dyn_cast<RankedTensorType>(inferReducedType(src, axis));
  if (!reduced)
    return hocket::planReduce(layout, axis, nullptr);
  LinearLayout result = ofBlock(reduced);
  return hocket::planReduce(layout, axis, &result);
}

std::optional<ScanPlan> planScan(RankedTensorType type, unsigned axis, bool isReverse) {
  LinearLayout whole = toLinearLayout(type);
  if (!whole.sublayoutIsZero({Dim::Block}, {tensorDim(axis)}))
    return std::nullopt;
  return hocket::planScan(ofBlock(type), axis, isReverse);
}

std::optional<GatherPlan> planGather(RankedTensorType src, RankedTensorType result, unsigned axis) {
  return hocket::planGather(toLinearLayout(src), toLinearLayout(result), axis);
}

} // namespace hocket::hk
