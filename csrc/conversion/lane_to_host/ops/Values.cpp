//===- Values.cpp - Converts values to and from the i64 of runtime calls -------------===//
#include "conversion/lane_to_host/Conversions.h"

using namespace mlir;

namespace hocket {

int64_t bitWidthOf(Type type) {
  if (type.isIntOrFloat())
    return type.getIntOrFloatBitWidth();
  if (isa<LLVM::LLVMPointerType>(type))
    return 64;
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bitWidthOf(vector.getElementType());
  return 0;
}

Value widenToI64(HostFunction &host, Value value) {
  OpBuilder &builder = host.builder;
  Type type = value.getType(), wide = builder.getI64Type();
  int64_t width = bitWidthOf(type);
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::PtrToIntOp::create(builder, host.loc(), wide, value);
  if (!type.isInteger())
    value = LLVM::BitcastOp::create(builder, host.loc(), builder.getIntegerType(width), value);
  if (width == 64)
    return value;
  return LLVM::ZExtOp::create(builder, host.loc(), wide, value);
}

Value narrowFromI64(HostFunction &host, Value bits, Type type) {
  OpBuilder &builder = host.builder;
  int64_t width = bitWidthOf(type);
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(builder, host.loc(), type, bits);
  if (width < 64)
    bits = LLVM::TruncOp::create(builder, host.loc(), builder.getIntegerType(width), bits);
  if (type.isInteger())
    return bits;
  return LLVM::BitcastOp::create(builder, host.loc(), type, bits);
}

Value flushed(HostFunction &host, Value x) {
  Type type = x.getType();
  auto constant = [&](double value) -> Value {
    return LLVM::ConstantOp::create(host.builder, host.loc(), type, host.builder.getFloatAttr(type, value));
  };
  Value size = LLVM::FAbsOp::create(host.builder, host.loc(), x);
  Value isSmall = LLVM::FCmpOp::create(host.builder, host.loc(), LLVM::FCmpPredicate::olt, size, constant(0x1p-126));
  return LLVM::SelectOp::create(host.builder, host.loc(), isSmall, constant(0), x);
}

void replaceByIntrinsic(HostFunction &host, Operation *op, StringRef name, ValueRange arguments) {
  auto call = LLVM::CallIntrinsicOp::create(host.builder, host.loc(), op->getResult(0).getType(),
                                            host.builder.getStringAttr(name), arguments);
  op->replaceAllUsesWith(call);
  op->erase();
}

} // namespace hocket
