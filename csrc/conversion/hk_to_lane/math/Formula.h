//===- Formula.h - Short names for the operations of a formula ---------------------===//
//
// Functions that not every target selects are written in LLVM operations (F32Functions, F64Functions). A Formula<float>
// or Formula<double> makes the code of these functions read like the mathematics. The operations of a Formula have no
// fastmath flags: a formula that must round only once uses fma, and separate operations round separately.
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_MATH_FORMULA_H
#define HOCKET_CONVERSION_HK_TO_LANE_MATH_FORMULA_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>
#include <type_traits>

namespace hocket {

template <typename FloatT>
struct Formula {
  using Value = mlir::Value;
  using IntegerT = std::conditional_t<sizeof(FloatT) == 4, int32_t, int64_t>;

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::FloatType type() const { return sizeof(FloatT) == 4 ? builder.getF32Type() : builder.getF64Type(); }
  /// Returns the integer type of the same width as the floats.
  mlir::IntegerType integerType() const { return builder.getIntegerType(8 * sizeof(FloatT)); }

  Value constant(FloatT value) const {
    return mlir::LLVM::ConstantOp::create(builder, loc, type(), builder.getFloatAttr(type(), value));
  }
  Value integer(IntegerT value) const {
    return mlir::LLVM::ConstantOp::create(builder, loc, integerType(), builder.getIntegerAttr(integerType(), value));
  }

  Value add(Value a, Value b) const { return mlir::LLVM::FAddOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) const { return mlir::LLVM::FSubOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) const { return mlir::LLVM::FMulOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) const { return mlir::LLVM::FDivOp::create(builder, loc, a, b); }
  Value fma(Value a, Value b, Value c) const { return mlir::LLVM::FMAOp::create(builder, loc, a, b, c); }
  Value abs(Value a) const { return mlir::LLVM::FAbsOp::create(builder, loc, a); }
  Value copySign(Value size, Value sign) const { return mlir::LLVM::CopySignOp::create(builder, loc, size, sign); }

  Value integerAdd(Value a, Value b) const { return mlir::LLVM::AddOp::create(builder, loc, a, b); }
  Value integerSub(Value a, Value b) const { return mlir::LLVM::SubOp::create(builder, loc, a, b); }
  Value bitAnd(Value a, Value b) const { return mlir::LLVM::AndOp::create(builder, loc, a, b); }
  Value bitXor(Value a, Value b) const { return mlir::LLVM::XOrOp::create(builder, loc, a, b); }
  Value shiftLeft(Value a, IntegerT bits) const { return mlir::LLVM::ShlOp::create(builder, loc, a, integer(bits)); }
  /// Emits an arithmetic shift, which keeps the sign.
  Value shiftRight(Value a, IntegerT bits) const { return mlir::LLVM::AShrOp::create(builder, loc, a, integer(bits)); }

  Value select(Value condition, Value a, Value b) const {
    return mlir::LLVM::SelectOp::create(builder, loc, condition, a, b);
  }
  Value compare(mlir::LLVM::FCmpPredicate predicate, Value a, Value b) const {
    return mlir::LLVM::FCmpOp::create(builder, loc, predicate, a, b);
  }
  Value compare(mlir::LLVM::ICmpPredicate predicate, Value a, Value b) const {
    return mlir::LLVM::ICmpOp::create(builder, loc, predicate, a, b);
  }

  Value bits(Value a) const { return mlir::LLVM::BitcastOp::create(builder, loc, integerType(), a); }
  Value fromBits(Value a) const { return mlir::LLVM::BitcastOp::create(builder, loc, type(), a); }
  Value fromInteger(Value a) const { return mlir::LLVM::SIToFPOp::create(builder, loc, type(), a); }

  /// Emits the polynomial coefficients[0] + coefficients[1] x + ...
  Value polynomial(llvm::ArrayRef<FloatT> coefficients, Value x) const {
    Value result = constant(coefficients.back());
    for (FloatT coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, constant(coefficient));
    return result;
  }
};

} // namespace hocket

#endif
