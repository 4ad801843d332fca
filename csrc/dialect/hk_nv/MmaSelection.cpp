//===- MmaSelection.cpp - Selection of the mma.sync instruction for an operation --===//
#include "dialect/hk_nv/MmaSelection.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket::hk_nv {

std::optional<NumberFormat> mmaFormatOf(Type type, bool isUnsigned) {
  return llvm::TypeSwitch<Type, std::optional<NumberFormat>>(type)
      .Case([](Float16Type) { return NumberFormat::F16; })
      .Case([](BFloat16Type) { return NumberFormat::BF16; })
      .Case([](Float32Type) { return NumberFormat::TF32; })
      .Case([](Float8E4M3FNType) { return NumberFormat::E4M3; })
      .Case([](Float8E5M2Type) { return NumberFormat::E5M2; })
      .Case([&](IntegerType integer) -> std::optional<NumberFormat> {
        if (integer.getWidth() != 8)
          return std::nullopt;
        return isUnsigned ? NumberFormat::U8 : NumberFormat::I8;
      })
      .Default([](Type) { return std::nullopt; });
}

const MmaInstruction *mmaInstructionOf(MmaOp op) {
  std::optional<NumberFormat> a = mmaFormatOf(op.getA().getType().getElementType(), op.getUnsignedA());
  std::optional<NumberFormat> b = mmaFormatOf(op.getB().getType().getElementType(), op.getUnsignedB());
  return a && b ? findMma(*a, *b) : nullptr;
}

} // namespace hocket::hk_nv
