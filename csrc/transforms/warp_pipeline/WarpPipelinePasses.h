//===- WarpPipelinePasses.h - The passes of warp pipelines ----------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEPASSES_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEPASSES_H

namespace mlir {
class OpPassManager;
}

namespace hocket {

/// Appends the passes that outline, check and lower the marked stages of warp pipelines, and the passes in between.
/// buildTilePipeline runs these passes on the module. FormStages runs these passes on copies of the module, to find
/// stages that the passes accept.
void addWarpPipelinePasses(mlir::OpPassManager &pm);

} // namespace hocket

#endif
