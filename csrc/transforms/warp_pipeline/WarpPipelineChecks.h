//===- WarpPipelineChecks.h - Checks the rules of warp pipelines -------------------===//
//
// Checks the rules for a warp pipeline and for the code around the warp pipeline, before the IR is changed.
// WarpPipelineLowering checks for hazards in shared memory between stages.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINECHECKS_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINECHECKS_H

#include "analysis/warp_pipeline/WarpUniformity.h"
#include "transforms/warp_pipeline/WarpPipelineDraft.h"

namespace hocket {

/// Reports the first rule that the pipeline breaks, at the line that breaks the rule.
mlir::LogicalResult checkPipeline(const PipelineDraft &draft, const WarpUniformity &uniformity);

} // namespace hocket

#endif
