//===- WgmmaSelection.cpp - Selection of the wgmma instruction for an operation ---===//
#include "dialect/hk_nv/WgmmaSelection.h"

using namespace mlir;

namespace hocket::hk_nv {

std::optional<NumberFormat> wgmmaSumOf(Type type) {
  if (type.isF32())
    return NumberFormat::F32;
  if (type.isF16())
    return NumberFormat::F16;
  return type.isInteger(32) ? std::optional(NumberFormat::I32) : std::nullopt;
}

template <typename OpT>
static std::optional<WgmmaInstruction> findWgmmaOf(OpT op, RankedTensorType acc) {
  auto elementOf = [](Value operand) { return cast<ShapedType>(operand.getType()).getElementType(); };
  std::optional<NumberFormat> a = mmaFormatOf(elementOf(op.getA()), op.getUnsignedA());
  std::optional<NumberFormat> b = mmaFormatOf(elementOf(op.getB()), op.getUnsignedB());
  std::optional<NumberFormat> sum = wgmmaSumOf(acc.getElementType());
  if (!a || !b || !sum || !isWgmma(*a, *b, *sum))
    return std::nullopt;
  return WgmmaInstruction{*a, *b, *sum, int(cast<MmaAttr>(acc.getEncoding()).getInstrShape()[1])};
}

std::optional<WgmmaInstruction> wgmmaOf(WarpgroupMmaOp op) { return findWgmmaOf(op, op.getAcc().getType()); }

std::optional<WgmmaInstruction> wgmmaOf(FusedWarpgroupMmaOp op) {
  std::optional<WgmmaInstruction> instruction = findWgmmaOf(op, cast<RankedTensorType>(op.getAccs().front().getType()));
  if (instruction)
    instruction->n *= int(op.getAccs().size());
  return instruction;
}

} // namespace hocket::hk_nv
