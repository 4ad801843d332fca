//===- F32Functions.h - Functions of one f32 that not every target selects -----------===//
//
// Neither LLVM's NVPTX nor its AMDGPU back end has a math library, and Hocket does not link one. The functions of this
// file are written in LLVM operations that every target selects, so that a kernel computes the same on NVIDIA, AMD and
// the emulator. Polynomials are minimax fits (Lawson iteration on Chebyshev nodes), evaluated with fused multiply-adds.
// The listed errors are the largest errors found over the interval, in units in the last place (ulp) of the result.
//
//   exp2   2 ulp (the GPU's instruction)           exp    2 + 1.2 |x| ulp, as CUDA's __expf
//   log    < 1 ulp       log2, log10  < 2 ulp
//   sin, cos  < 1.5 ulp for |x| < 2^50 (the argument is reduced in f64), NaN beyond
//   erf    < 1.5 ulp     tanh   < 2.1 ulp (all numbers, on an H200)
//   rsqrt  2 ulp (the GPU's approximation); also of f64, in two operations
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_MATH_F32FUNCTIONS_H
#define HOCKET_CONVERSION_HK_TO_LANE_MATH_F32FUNCTIONS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace hocket {

mlir::Value emitExp(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitExp2(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitLog(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitLog2(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitLog10(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitSin(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitCos(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitErf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitTanh(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);
mlir::Value emitRsqrt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

} // namespace hocket

#endif
