//===- WarpPipelinePasses.h - The passes of warp pipelines ----------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEPASSES_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEPASSES_H

namespace mlir {
class OpPassManager;
}

namespace hocket {

/// Appends the passes that outline, check and lower the marked stages of warp pipelines, and the passes in between. The
/// tile pipeline runs the warp pipeline passes on the module. FormStages runs the warp pipeline passes on copies of the
/// module, to find stages that the passes accept.
void addWarpPipelinePasses(mlir::OpPassManager &pm);

} // namespace hocket

#endif
