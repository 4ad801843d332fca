//===- StagesOfPipelines.h - Finds the warp pipeline stage of each operation ----------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_STEPS_STAGESOFPIPELINES_H
#define HOCKET_CONVERSION_LANE_TO_HOST_STEPS_STAGESOFPIPELINES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hocket {

struct StagedOp {
  mlir::Operation *op;
  mlir::StringAttr stage; ///< label of the stage; null outside of stages
};

/// Returns all operations of `kernel` in program order, each with its stage.
llvm::SmallVector<StagedOp> operationsByStage(mlir::LLVM::LLVMFuncOp kernel);

} // namespace hocket

#endif
