//===- WgmmaSelection.cpp - Which wgmma a product of a warpgroup means ------------===//
#include "dialect/hk_nv/WgmmaSelection.h"

using namespace mlir;

namespace hocket::hk_nv {

std::optional<WgmmaSum> wgmmaSumOf(Type type) {
  if (type.isF32())
    return WgmmaSum::F32;
  if (type.isF16())
    return WgmmaSum::F16;
  return type.isInteger(32) ? std::optional(WgmmaSum::S32) : std::nullopt;
}

std::optional<WgmmaInstruction> wgmmaOf(WarpgroupMmaOp op) {
  auto elementOf = [](Value operand) { return cast<ShapedType>(operand.getType()).getElementType(); };
  std::optional<MmaElement> a = mmaElementOf(elementOf(op.getA()), op.getUnsignedA());
  std::optional<MmaElement> b = mmaElementOf(elementOf(op.getB()), op.getUnsignedB());
  RankedTensorType acc = op.getAcc().getType();
  std::optional<WgmmaSum> sum = wgmmaSumOf(acc.getElementType());
  if (!a || !b || !sum || !isWgmma(*a, *b, *sum))
    return std::nullopt;
  return WgmmaInstruction{*a, *b, *sum, int(cast<MmaAttr>(acc.getEncoding()).getInstrShape()[1])};
}

} // namespace hocket::hk_nv
