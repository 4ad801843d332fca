//===- Buffer.cpp - Accesses of global memory through a buffer descriptor --------------------===//
//
//   modifier   loads can hit                 stores are written           policy
//   none, ca   in every cache                                             -
//   wb                                       to the next cache            -
//   cg         in caches of the device       through to the device        sc1: device scope
//   cv, wt     in no cache                   through to memory            sc0 sc1: system scope
//   cs         in every cache; evict first   evict first                  nt
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_amd_to_rocdl/Buffer.h"

#include "dialect/lane/AddressSpaces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {

constexpr int64_t kBufferBytes = (int64_t(1) << 31) - 2;
constexpr int32_t kOutside = INT32_MIN;

Buffer::Buffer(const TargetInfo &target, OpBuilder &builder, Location loc, Value base, unsigned elementBytes)
    : builder(builder), loc(loc), elementBytes(elementBytes) {
  auto type = LLVM::LLVMPointerType::get(builder.getContext(), kBufferAddressSpace);
  Value stride = LLVM::ConstantOp::create(builder, loc, builder.getI16Type(), builder.getI16IntegerAttr(0));
  Value bytes = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), kBufferBytes);
  descriptor =
      ROCDL::MakeBufferRsrcOp::create(builder, loc, type, base, stride, bytes, i32(target.amdMemory->bufferFlags));
}

Value Buffer::i32(int32_t value) const { return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value); }

Value Buffer::byteOffset(Value offset, Value mask) const {
  Value bytes = offset;
  if (elementBytes > 1)
    bytes = LLVM::MulOp::create(builder, loc, offset, i32(elementBytes));
  return mask ? LLVM::SelectOp::create(builder, loc, mask, bytes, i32(kOutside)).getResult() : bytes;
}

bool areZero(ArrayRef<Value> elements) {
  return llvm::all_of(elements, [](Value element) {
    Attribute value;
    if (!matchPattern(element, m_Constant(&value)))
      return false;
    if (auto number = dyn_cast<FloatAttr>(value))
      return number.getValue().isPosZero();
    auto integer = dyn_cast<IntegerAttr>(value);
    return integer && integer.getValue().isZero();
  });
}

int32_t cachePolicy(const AmdMemory &facts, hk::CacheModifier cache) {
  switch (cache) {
  case hk::CacheModifier::None:
  case hk::CacheModifier::CA:
  case hk::CacheModifier::WB:
    return 0;
  case hk::CacheModifier::CG:
    return facts.scope1;
  case hk::CacheModifier::CV:
  case hk::CacheModifier::WT:
    return facts.scope0 | facts.scope1;
  case hk::CacheModifier::CS:
    return facts.nonTemporal;
  }
  llvm_unreachable("all modifiers are handled");
}

} // namespace hocket
