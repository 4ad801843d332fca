//===- ExtendFloat.cpp - Widens floats in a form that InstCombine does not fold ----------===//
#include "conversion/hk_to_lane/math/ExtendFloat.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hocket {

Value extendFloat(OpBuilder &builder, Location loc, Value value, Type to) {
  if (value.getType().isBF16()) {
    constexpr int32_t kShift = 16;
    Type i32 = builder.getI32Type();
    Value bits =
        LLVM::ZExtOp::create(builder, loc, i32, LLVM::BitcastOp::create(builder, loc, builder.getI16Type(), value));
    Value upper = LLVM::ShlOp::create(builder, loc, bits, LLVM::ConstantOp::create(builder, loc, i32, kShift));
    value = LLVM::BitcastOp::create(builder, loc, builder.getF32Type(), upper);
  }
  return value.getType() == to ? value : LLVM::FPExtOp::create(builder, loc, to, value);
}

} // namespace hocket
