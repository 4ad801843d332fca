//===- ConvertHkToLane.h - Lowers operations on tiles to operations of one lane ---------===//
//
// Input:   one kernel of hk, arith, math and cf on tensors; shared memory allocated, barriers inserted, widths of
//          accesses chosen (ChooseAccesses.h).
// Output:  lane form: LLVM dialect, NVVM or ROCDL, and lane operations. The code for the GPU and the code for the
//          emulator are generated from lane form.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_CONVERTHKTOLANE_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_CONVERTHKTOLANE_H

#include "conversion/hk_to_lane/passes/TargetLowering.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

/// Lowers the kernel of `module` for `targetLowering.target`. Errors are reported at operations of the user's program.
mlir::LogicalResult convertHkToLane(mlir::ModuleOp module, const TargetLowering &targetLowering);

/// Creates the pass `hocket-convert-hk-to-lane`, which reads the target and the number of warps from the module.
std::unique_ptr<mlir::Pass> createConvertHkToLanePass(TargetLoweringFactory factory);

} // namespace hocket

#endif
