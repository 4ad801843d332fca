//===- ExtendFloat.h - Widens floats in a form that InstCombine does not fold ------------===//
//
// LLVM's InstCombine computes `fptrunc(op(fpext a, fpext b))` in the narrow type if this type has enough fraction bits;
// InstCombine ignores the exponents. For example, a multiplication in f32 of two extended bf16 numbers that is
// truncated to f16 becomes a multiplication in f16, although a conversion to f16 can turn the operands into infinity or
// zero. Therefore bf16, which has more exponent bits than f16, is extended not by `fpext` but by shifting its bits into
// the upper half of an f32. Hardware instructions that widen bf16 to f32 have the same result.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_MATH_EXTENDFLOAT_H
#define HOCKET_CONVERSION_HK_TO_LANE_MATH_EXTENDFLOAT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace hocket {

/// Extends `value` (f16, bf16 or f32) exactly to the wider type `to` (f32 or f64).
mlir::Value extendFloat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type to);

} // namespace hocket

#endif
