//===- WarpPipelinePasses.cpp - The passes of warp pipelines, with the reason for each position -===//
#include "transforms/warp_pipeline/WarpPipelinePasses.h"
#include "mlir/Pass/PassManager.h"
#include "transforms/Passes.h"

namespace hocket {

void addWarpPipelinePasses(mlir::OpPassManager &pm) {
  // DeferExchanges runs before WarpPipelinePartition, which rejects exchanges inside of stages. DeferExchanges runs
  // before AllocateMemory, because DeferExchanges creates tiles, and before WarpPipelineLowering, which checks the
  // hazards of the stores and loads of these tiles.
  pm.addPass(createDeferExchanges());
  // WarpPipelinePartition runs before AllocateMemory, because buffers of overlapping stages are live at the same time.
  // WarpPipelinePartition runs after the clean-up, which removes dead operations between stages, and layout conversions
  // that a stage must not contain.
  pm.addPass(createWarpPipelinePartition());
  // Prefetch runs after the clean-up, which merges repeated expressions. Prefetch runs before AllocateMemory, because
  // Prefetch can give buffers several slots. Prefetch runs after WarpPipelinePartition, whose stages define which
  // operations overlap.
  pm.addPass(createPrefetch());
  // AllocateMemory runs after all passes that remove or merge buffers and layout conversions, because the assigned
  // offsets are final.
  pm.addPass(createAllocateMemory());
  // WarpPipelineLowering runs after allocation, because its fences depend on byte ranges.
  pm.addPass(createWarpPipelineLowering());
}

} // namespace hocket
