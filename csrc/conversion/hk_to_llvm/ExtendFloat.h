//===- ExtendFloat.h - Widening floats, out of InstCombine's reach -----------------------===//
//
// LLVM's InstCombine computes `fptrunc(op(fpext a, fpext b))` in the narrow type if that has fraction bits enough, and
// does not look at exponents: bf16 -> f32, multiply, -> f16 becomes a product of f16, whose operands are infinite or
// zero already. So bf16, which has more exponent bits than f16, is never extended by `fpext`, but by moving its bits
// into the upper half of an f32. That is what the instruction does, too.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_EXTENDFLOAT_H
#define HOCKET_CONVERSION_HK_TO_LLVM_EXTENDFLOAT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace hocket {

/// `value`, an f16, bf16 or f32, as the wider `to` (f32 or f64), exactly.
mlir::Value extendFloat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type to);

} // namespace hocket

#endif
