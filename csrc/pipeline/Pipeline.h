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

/// Adds the passes of the tile pipeline, which transform hk IR to hk IR: they simplify the IR, allocate shared memory
/// and insert barriers.
void buildTilePipeline(mlir::OpPassManager &pm);

/// Adds the passes that lower hk IR to the lane form.
void buildLanePipeline(mlir::OpPassManager &pm);

/// Adds the passes that lower the lane form to operations that can be translated to LLVM IR for `target`.
void buildGpuPipeline(mlir::OpPassManager &pm, const TargetInfo &target);

/// Registers the three pipelines in hocket-opt as `hocket-tile-pipeline`, `hocket-lane-pipeline` and
/// `hocket-gpu-pipeline-TARGET`.
void registerPipelines();

} // namespace hocket

#endif
