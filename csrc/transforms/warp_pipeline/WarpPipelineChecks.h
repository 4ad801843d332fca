//===- WarpPipelineChecks.h - Checks the rules of warp pipelines -------------------===//
//
// The rules that concern one pipeline and its surroundings, checked before the IR is changed. Hazards in shared memory
// between stages are not among them: WarpPipelineLowering finds those.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINECHECKS_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINECHECKS_H

#include "analysis/warp_pipeline/WarpUniformity.h"
#include "transforms/warp_pipeline/WarpPipelineDraft.h"

namespace hocket {

/// Reports the first rule that the pipeline breaks, at the line that breaks it.
mlir::LogicalResult checkPipeline(const PipelineDraft &draft, const WarpUniformity &uniformity);

} // namespace hocket

#endif
