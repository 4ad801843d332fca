//===- WarpPipelineDraft.h - Reads the markers of warp pipelines -------------------===//
//
// A draft describes a warp pipeline in the input of WarpPipelinePartition:
//
//     scf.for {                     gap 0: the top of the loop
//       %i = ...                      scalar
//       stage_begin "load"          stage 0
//       ...
//       stage_end
//       hk.async_wait_group         gap 1: wait
//       stage_begin "compute"       stage 1
//       ...
//       stage_end
//       %next = ...                 gap 2: the bottom of the loop; scalar
//     }
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEDRAFT_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEDRAFT_H

#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket {

struct DraftStage {
  hk::StageBeginOp begin;
  hk::StageEndOp end;
  llvm::SmallVector<mlir::Operation *> body;
};

/// The operations before a stage, or after the last stage. In a straight-line pipeline, the first and the last gap are
/// empty.
struct DraftGap {
  /// Waits for asynchronous accesses, and barriers (isPipelineWait).
  llvm::SmallVector<mlir::Operation *> waits;
  /// Operations without effects and without tensors.
  llvm::SmallVector<mlir::Operation *> scalars;
};

struct PipelineDraft {
  /// The loop whose body is the pipeline; null for a straight-line pipeline.
  mlir::scf::ForOp loop;
  llvm::SmallVector<DraftStage> stages;
  /// The gap before each stage, and the gap after the last stage.
  llvm::SmallVector<DraftGap> gaps;
  /// The operation that ends a straight-line pipeline: an operation outside of stages, or a stage with a phase_gap,
  /// which begins another pipeline. Null if the pipeline ends with the block.
  mlir::Operation *endedBy = nullptr;

  hk::StageBeginOp firstBegin() const { return stages.front().begin; }
  int phaseGap() const { return static_cast<int>(firstBegin().getPhaseGap().value_or(1)); }
  /// Returns the number of groups that run the pipeline; 0 if the number of warps does not fit.
  unsigned numGroups() const;
  /// Returns the lags of the groups behind group 0.
  llvm::SmallVector<unsigned> lags() const;
  unsigned maxLag() const { return lags().back(); }
  /// True if a stage is exclusive. The groups then have no lags.
  bool isPingPong() const {
    return llvm::any_of(stages, [](DraftStage stage) { return stage.begin.getExclusive(); });
  }
  /// True if the largest lag is smaller than the number of stages, or if the groups have no lags.
  bool hasEnoughStages() const { return isPingPong() || maxLag() < stages.size(); }
  /// True if the kernel gives a lag for each group.
  bool hasLags() const { return hk::kGroupLagsAttr.isOn(firstBegin()); }
};

/// True if the operation is scalar and has no effects, so that it may be moved across waits into an adjacent stage.
bool isPureScalar(mlir::Operation *op);

/// Returns the pipelines of a function in program order, outer loops before inner ones. Reports unbalanced or misplaced
/// markers, and operations that are not allowed between stages.
mlir::FailureOr<llvm::SmallVector<PipelineDraft>> draftPipelines(mlir::Operation *function);

} // namespace hocket

#endif
