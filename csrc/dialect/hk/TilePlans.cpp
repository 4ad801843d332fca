//===- TilePlans.cpp - The plans of csrc/plans for types of this dialect -----------===//
#include "dialect/hk/TilePlans.h"

#include "dialect/hk/LayoutInference.h"
#include "dialect/hk/Layouts.h"

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

ReducePlan planReduce(RankedTensorType src, unsigned axis) {
  auto ofBlock = [](RankedTensorType type) {
    LinearLayout layout = toLinearLayout(type);
    return layout.getInDimSizeLog2(Dim::Block) ? withinBlock(layout).value_or(layout) : layout;
  };
  LinearLayout layout = ofBlock(src);
  auto reduced = dyn_cast<RankedTensorType>(inferReducedType(src, axis));
  if (!reduced)
    return hocket::planReduce(layout, axis, nullptr);
  LinearLayout result = ofBlock(reduced);
  return hocket::planReduce(layout, axis, &result);
}

} // namespace hocket::hk
