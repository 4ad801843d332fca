//===- ConvertLayout.h - Layout conversions that exchange values between lanes ----===//
//
// Each function of this file emits a layout conversion and returns the registers of the result.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_CONVERTLAYOUT_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_CONVERTLAYOUT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/ValueRange.h"
#include "plans/ConvertLayoutPlan.h"

namespace hocket {

class LoweringContext;

llvm::SmallVector<mlir::Value> emitShuffleMoves(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc,
                                                const ShuffleMoves &moves, mlir::ValueRange src);
llvm::SmallVector<mlir::Value> emitClusterMoves(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc,
                                                const ClusterMoves &moves, mlir::Value scratch, mlir::ValueRange src);
llvm::SmallVector<mlir::Value> emitSharedMoves(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc,
                                               const SharedMoves &moves, mlir::Value scratch, mlir::ValueRange src);

} // namespace hocket

#endif
