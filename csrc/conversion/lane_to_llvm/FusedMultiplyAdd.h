//===- FusedMultiplyAdd.h - Emulates a fused multiply-add of narrow floats ----------------===//
//
// Without a hardware instruction, LLVM computes in f32 and rounds twice. That is wrong if the first rounding, to f32,
// returns the midpoint between two numbers of the narrow type, although the exact sum was on one side of it. Here f32
// is rounded to odd instead (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms
// using rounding to odd", 2008): if the sum is not exact, the last bit is set to 1, so that it is never a midpoint.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_FUSEDMULTIPLYADD_H
#define HOCKET_CONVERSION_LANE_TO_LLVM_FUSEDMULTIPLYADD_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace hocket {

/// Computes x * y + z of f16 or bf16 by operations of f32 and f64.
mlir::Value emitNarrowFma(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Value y, mlir::Value z);

} // namespace hocket

#endif
