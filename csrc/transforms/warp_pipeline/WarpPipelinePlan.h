//===- WarpPipelinePlan.h - Plans the lowering of warp pipelines ------------------===//
//
// All decisions, and all errors, are made before the IR is changed.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEPLAN_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEPLAN_H

#include "analysis/warp_pipeline/PipelineEntry.h"

namespace hocket {

/// The connection of a pipeline with the previous one.
enum class PipelineJoint : uint8_t {
  Apart,   ///< all warps synchronize in between
  Joined,  ///< the groups stay apart; an existing slot separates the pipelines
  Barrier, ///< the groups stay apart; one slot is added
  Fence,   ///< the groups stay apart; one slot is added, which is a fence
};

struct WarpPipelinePlan {
  WarpPipeline pipeline;
  std::unique_ptr<StageHazards> hazards;
  std::unique_ptr<PipelineEntry> entry;
  /// fenced[s]: slot s is a fence.
  std::vector<bool> fenced;
  /// globalFenced[s]: slot s is a fence that orders global memory, too.
  std::vector<bool> globalFenced;
  /// Global accesses of the stages must be ordered after earlier pipelines; the barrier at the beginning of this one
  /// orders them.
  bool beginsWithGlobalFence = false;
  /// showsStores[i]: stores of lanes in stage i are read through the async proxy in some stage. Stage i then ends with
  /// a proxy fence, so that the next slot, the first one that may order the two, passes the stores on.
  std::vector<bool> showsStores;
  PipelineJoint joint = PipelineJoint::Apart;

  /// True if a stage has a priority, and warps of the target have them.
  bool hasPriorities() const;
};

/// Returns the plans of a function's pipelines in program order. Reports races that fences cannot prevent.
mlir::FailureOr<llvm::SmallVector<WarpPipelinePlan, 0>> planWarpPipelines(mlir::Operation *function);

/// Decides the joints.
void planJoints(llvm::MutableArrayRef<WarpPipelinePlan> plans);

/// Reports, at the later access, why no fence settles `hazard`.
mlir::LogicalResult reportPipelineRace(const WarpPipeline &pipeline, const StageHazards &stageHazards,
                                       const AccessHazard &hazard);

/// Reports, at the later access, why ping-pong of the groups does not settle `hazard`.
mlir::LogicalResult reportPingPongRace(const WarpPipeline &pipeline, const AccessHazard &hazard);

/// Reports a race with a copy that is in flight where the pipeline begins. A wait there must cover copies of
/// `youngestAge` and older ones.
mlir::LogicalResult reportEntryRace(const WarpPipeline &pipeline, const EntryHazard &hazard, unsigned youngestAge);

} // namespace hocket

#endif
