//===- FloatToInt.cpp - Converts floats to integers with saturation ------------------------===//
#include "conversion/lane_to_llvm/FloatToInt.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hocket {

Value emitFloatToInt(OpBuilder &builder, lane::FloatToIntOp op,
                     llvm::function_ref<Value(Value value, Type type)> convert) {
  Location loc = op.getLoc();
  Value value = op.getValue();
  if (value.getType().isF16())
    value = LLVM::FPExtOp::create(builder, loc, builder.getF32Type(), value);
  Type type = op.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits >= 32)
    return convert(value, type);

  Type i32 = builder.getI32Type();
  Value result = convert(value, i32);
  auto constant = [&](int64_t limit) {
    return LLVM::ConstantOp::create(builder, loc, i32, builder.getI32IntegerAttr(limit));
  };
  if (op.getIsUnsigned()) {
    result = LLVM::UMinOp::create(builder, loc, result, constant((int64_t(1) << bits) - 1));
  } else {
    int64_t half = int64_t(1) << (bits - 1);
    result = LLVM::SMaxOp::create(builder, loc, result, constant(-half));
    result = LLVM::SMinOp::create(builder, loc, result, constant(half - 1));
  }
  return LLVM::TruncOp::create(builder, loc, type, result);
}

} // namespace hocket
