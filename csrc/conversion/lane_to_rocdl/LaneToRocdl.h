//===- LaneToRocdl.h - Lane operations become LLVM for AMDGPU -----------------------------===//
//
// Input:   lane form.
// Output:  LLVM and ROCDL dialect. Position: last, on the GPU's way only; the emulator executes the lane operations
//          themselves.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_LANETOROCDL_H
#define HOCKET_CONVERSION_LANE_TO_ROCDL_LANETOROCDL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

mlir::LogicalResult convertLaneToRocdl(mlir::ModuleOp module);

/// The pass `hocket-convert-lane-to-rocdl`.
std::unique_ptr<mlir::Pass> createConvertLaneToRocdlPass();

} // namespace hocket

#endif
