//===- WarpPipelinePlan.h - Plans the lowering of warp pipelines ------------------===//
//
// Planning makes all decisions and reports all errors before the IR is changed.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEPLAN_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEPLAN_H

#include "analysis/warp_pipeline/PipelineEntry.h"

namespace hocket {

/// The boundary between a pipeline and the previous pipeline.
enum class PipelineBoundary : uint8_t {
  Apart,   ///< all warps synchronize between the pipelines
  Joined,  ///< the groups keep their lag; an existing slot separates the pipelines
  Barrier, ///< the groups keep their lag; one slot is added
  Fence,   ///< the groups keep their lag; one slot is added, which is a fence
};

struct WarpPipelinePlan {
  WarpPipeline pipeline;
  std::unique_ptr<StageHazards> hazards;
  std::unique_ptr<PipelineEntry> entry;
  /// fenced[s] is true if slot s is a fence.
  std::vector<bool> fenced;
  /// globalFenced[s] is true if slot s is a fence that orders global memory, too.
  std::vector<bool> globalFenced;
  /// True if the barrier at the beginning of the pipeline must order global memory, because stages exchange values with
  /// earlier pipelines through global memory.
  bool beginsWithGlobalFence = false;
  /// showsStores[i] is true if some stage reads stores of stage i through the async proxy. A stage with `showsStores`
  /// ends with a proxy fence, before any slot that orders the stores before the reads.
  std::vector<bool> showsStores;
  PipelineBoundary boundary = PipelineBoundary::Apart;

  /// True if a stage has a priority, and the target supports warp priorities.
  bool hasPriorities() const;
};

/// Returns the plans of a function's pipelines in program order. Reports races that fences cannot prevent.
mlir::FailureOr<llvm::SmallVector<WarpPipelinePlan, 0>> planWarpPipelines(mlir::Operation *function);

/// Decides which consecutive pipelines are joined.
void planBoundaries(llvm::MutableArrayRef<WarpPipelinePlan> plans);

/// Reports, at the later access, why no fence prevents the race of `hazard`.
mlir::LogicalResult reportPipelineRace(const WarpPipeline &pipeline, const StageHazards &stageHazards,
                                       const AccessHazard &hazard);

/// Reports, at the later access, why exclusive stages do not prevent the race of `hazard`.
mlir::LogicalResult reportPingPongRace(const WarpPipeline &pipeline, const AccessHazard &hazard);

/// Reports a race with a copy that is in flight at the beginning of the pipeline. To prevent the race, a wait before
/// the pipeline must leave fewer than `youngestAge` groups in flight; 0 if the copies are not committed.
mlir::LogicalResult reportEntryRace(const WarpPipeline &pipeline, const EntryHazard &hazard, unsigned youngestAge);

} // namespace hocket

#endif
