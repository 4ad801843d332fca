//===- WarpPipelinePlan.h - What WarpPipelineLowering is going to do --------------===//
//
// Everything that is decided, and every error, before the IR is changed.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEPLAN_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEPLAN_H

#include "analysis/warp_pipeline/PipelineEntry.h"

namespace hocket {

/// How a pipeline is joined to the one before it.
enum class PipelineJoint : uint8_t {
  Apart,   ///< it is not: all warps meet in between
  Joined,  ///< the groups stay apart; a slot that is there anyway separates the two
  Barrier, ///< the same, with one more slot
  Fence,   ///< the same, and that slot is a fence
};

struct WarpPipelinePlan {
  WarpPipeline pipeline;
  std::unique_ptr<StageHazards> hazards;
  std::unique_ptr<PipelineEntry> entry;
  /// fenced[s]: slot s is a fence.
  std::vector<bool> fenced;
  /// The same, of those that order global memory, too.
  std::vector<bool> globalFenced;
  /// What the stages do to global memory must be in order with earlier pipelines: the barrier with which this one
  /// begins sees to it.
  bool beginsWithGlobalFence = false;
  /// showsStores[i]: what lanes store in stage i, others read through a proxy of their own, in whatever stage. The
  /// stage ends with a fence, so that the slot after it, which is the first to order the two, passes the stores on.
  std::vector<bool> showsStores;
  PipelineJoint joint = PipelineJoint::Apart;

  bool hasPriorities() const;
};

/// The plans of a function's pipelines in program order. Reports races that no fence can prevent.
mlir::FailureOr<llvm::SmallVector<WarpPipelinePlan, 0>> planWarpPipelines(mlir::Operation *function);

/// Decides the joints.
void planJoints(llvm::MutableArrayRef<WarpPipelinePlan> plans);

/// Says at the later access why no fence settles `hazard`.
mlir::LogicalResult reportPipelineRace(const WarpPipeline &pipeline, const StageHazards &stageHazards,
                                       const AccessHazard &hazard);

/// Says at the later access why the groups' turns do not settle `hazard`.
mlir::LogicalResult reportTurnRace(const WarpPipeline &pipeline, const AccessHazard &hazard);

/// The same about a copy that is in flight where the pipeline begins. Copies of `youngestAge` and older ones would have
/// to be waited for there.
mlir::LogicalResult reportEntryRace(const WarpPipeline &pipeline, const EntryHazard &hazard, unsigned youngestAge);

} // namespace hocket

#endif
