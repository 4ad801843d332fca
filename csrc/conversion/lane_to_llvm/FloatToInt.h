//===- FloatToInt.h - Converts floats to integers with saturation --------------------------===//
//
// GPUs have an instruction that converts to 32 bits with saturation. For integers narrower than 32 bits, the result of
// the saturating conversion is clamped.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_FLOATTOINT_H
#define HOCKET_CONVERSION_LANE_TO_LLVM_FLOATTOINT_H

#include "dialect/lane/LaneDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace hocket {

/// Emits the operations that compute the result of `op`. `convert` converts an f32 or f64 to an i32 or i64 as
/// lane.float_to_int does.
mlir::Value emitFloatToInt(mlir::OpBuilder &builder, lane::FloatToIntOp op,
                           llvm::function_ref<mlir::Value(mlir::Value value, mlir::Type type)> convert);

} // namespace hocket

#endif
