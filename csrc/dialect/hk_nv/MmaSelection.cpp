//===- MmaSelection.cpp - Selection of the mma.sync instruction for an operation --===//
#include "dialect/hk_nv/MmaSelection.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket::hk_nv {

std::optional<MmaElement> mmaElementOf(Type type, bool isUnsigned) {
  return llvm::TypeSwitch<Type, std::optional<MmaElement>>(type)
      .Case([](Float16Type) { return MmaElement::F16; })
      .Case([](BFloat16Type) { return MmaElement::BF16; })
      .Case([](Float32Type) { return MmaElement::TF32; })
      .Case([](Float8E4M3FNType) { return MmaElement::E4M3; })
      .Case([](Float8E5M2Type) { return MmaElement::E5M2; })
      .Case([&](IntegerType integer) -> std::optional<MmaElement> {
        if (integer.getWidth() != 8)
          return std::nullopt;
        return isUnsigned ? MmaElement::U8 : MmaElement::S8;
      })
      .Default([](Type) { return std::nullopt; });
}

const MmaInstruction *mmaInstructionOf(MmaOp op) {
  std::optional<MmaElement> a = mmaElementOf(op.getA().getType().getElementType(), op.getUnsignedA());
  std::optional<MmaElement> b = mmaElementOf(op.getB().getType().getElementType(), op.getUnsignedB());
  return a && b ? findMma(*a, *b) : nullptr;
}

} // namespace hocket::hk_nv
