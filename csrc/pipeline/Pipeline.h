//===- Pipeline.h - The compiler's pass pipelines ----------------------------------===//
//
// Pipeline.cpp, WarpPipelinePasses.cpp and the back ends define the order of passes.
//
//   front end -> hk --buildTilePipeline--> hk --buildLanePipeline--> lane form --+--buildGpuPipeline--> PTX or AMD ISA
//                                                                                +--(emulator)--------> host code
//
// The code for the GPU and the code for the emulator are generated from the same lane form, a module in the LLVM
// dialect with nvvm/rocdl and `lane` operations.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PIPELINE_PIPELINE_H
#define HOCKET_PIPELINE_PIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "target/TargetInfo.h"

namespace hocket {

/// Adds the passes from hk to hk, which clean up, allocate shared memory and insert barriers.
void buildTilePipeline(mlir::OpPassManager &pm);

/// Adds the passes from hk to the lane form.
void buildLanePipeline(mlir::OpPassManager &pm);

/// Adds the passes from the lane form to operations of the LLVM dialect that can be exported to LLVM IR for the GPU.
void buildGpuPipeline(mlir::OpPassManager &pm, const TargetInfo &target);

/// Registers the three pipelines in hocket-opt as `hocket-tile-pipeline`, `hocket-lane-pipeline` and
/// `hocket-gpu-pipeline-TARGET`.
void registerPipelines();

} // namespace hocket

#endif
