//===- F64Functions.h - Functions of one f64 that no target selects ----------------===//
//
// This file is the counterpart of F32Functions for f64. No GPU has instructions for functions of f64, so the functions
// consist of arithmetic that is the same on every target and in the emulator. Polynomials are minimax fits (Lawson
// iteration on Chebyshev nodes) with an error below 2^-57 of the result. The listed errors are the largest errors found
// over the interval, in units in the last place (ulp) of the result.
//
//   exp, exp2   < 1 ulp, subnormal results included       log   < 1.1 ulp       log2, log10  < 1.5 ulp
//   sin, cos    < 1 ulp for |x| < 2^50, NaN beyond
//   erf         < 1 ulp       tanh   < 1.5 ulp
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_MATH_F64FUNCTIONS_H
#define HOCKET_CONVERSION_HK_TO_LANE_MATH_F64FUNCTIONS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace hocket::f64 {

mlir::Value emitExp(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitExp2(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitLog(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitLog2(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitLog10(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitSin(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitCos(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitErf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitTanh(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

} // namespace hocket::f64

#endif
