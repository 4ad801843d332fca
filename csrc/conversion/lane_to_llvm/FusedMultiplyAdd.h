//===- FusedMultiplyAdd.h - Emulates a fused multiply-add of narrow floats ----------------===//
//
// Without a hardware instruction, LLVM computes in f32 and rounds twice. The result is wrong if the first rounding, to
// f32, turns a sum that is not a midpoint between two numbers of the narrow type into the midpoint. emitNarrowFma
// rounds to odd in f32: the last bit of an inexact f32 is 1, so that the f32 is never a midpoint. Boldo and Melquiond,
// "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.
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
