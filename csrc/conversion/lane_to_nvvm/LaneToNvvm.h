//===- LaneToNvvm.h - Expands lane operations to PTX --------------------------------------===//
//
// Input:   lane form.
// Output:  LLVM and NVVM dialect, with inline PTX where LLVM has no operation. Position: last, only on the path to
//          GPU code; the emulator executes the lane operations themselves.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_NVVM_LANETONVVM_H
#define HOCKET_CONVERSION_LANE_TO_NVVM_LANETONVVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

mlir::LogicalResult convertLaneToNvvm(mlir::ModuleOp module);

/// Creates the pass `hocket-convert-lane-to-nvvm`.
std::unique_ptr<mlir::Pass> createConvertLaneToNvvmPass();

} // namespace hocket

#endif
