//===- WarpPipelineDraft.h - Warp pipelines as their markers say -------------------===//
//
// What WarpPipelinePartition knows of a pipeline before it changes anything.
//
//     scf.for {                     gap 0: the top of the loop
//       %i = ..                       scalar
//       stage_begin "load"          stage 0
//       ..
//       stage_end
//       hk.async_wait_group         gap 1: wait
//       stage_begin "compute"       stage 1
//       ..
//       stage_end
//       %next = ..                  gap 2: the bottom of the loop; scalar
//     }
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEDRAFT_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEDRAFT_H

#include "dialect/hk/HkDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket {

struct DraftStage {
  hk::StageBeginOp begin;
  hk::StageEndOp end;
  llvm::SmallVector<mlir::Operation *> body;
};

/// What comes before a stage, or after the last. In a straight line, nothing before the first and after the last.
struct DraftGap {
  /// For asynchronous accesses, or for the other warps (isPipelineWait).
  llvm::SmallVector<mlir::Operation *> waits;
  /// Without effects, and without tensors.
  llvm::SmallVector<mlir::Operation *> scalars;
};

struct PipelineDraft {
  /// Null in a straight line.
  mlir::scf::ForOp loop;
  llvm::SmallVector<DraftStage> stages;
  /// One more than stages.
  llvm::SmallVector<DraftGap> gaps;
  /// In a straight line, what ended the pipeline: an operation that is in no stage, or the first stage of another
  /// pipeline, which has a phase_gap. Null for the end of the block.
  mlir::Operation *endedBy = nullptr;

  hk::StageBeginOp firstBegin() const { return stages.front().begin; }
  int phaseGap() const { return static_cast<int>(firstBegin().getPhaseGap().value_or(1)); }
};

/// The pipelines of a function in program order, outer loops' before inner ones'. Reports markers that do not bracket
/// stages, or are where no pipeline can be, and what may not be between stages.
mlir::FailureOr<llvm::SmallVector<PipelineDraft>> draftPipelines(mlir::Operation *function);

} // namespace hocket

#endif
