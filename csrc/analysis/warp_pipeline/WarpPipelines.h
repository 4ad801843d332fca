//===- WarpPipelines.h - The warp pipelines of a function -------------------------===//
//
// A pipeline is the body of an scf.for with `hk.pipelined`, or a sequence of two or more hk.stage in any block, all of
// which except the first have no phase_gap:
//
//     scf.for {                       slot 0 is at the beginning or at the end of the iteration
//       hk.stage "load" {}            stage 0
//       hk.async_wait_group           slot 1, with a wait
//       hk.stage "compute" {}         stage 1
//     } {hk.pipelined = 1}
//
// Operations without effects may be between stages, if no warp waits for another in them; they belong to no stage.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_WARPPIPELINES_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_WARPPIPELINES_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket {

struct WarpPipeline {
  /// Null for a straight-line pipeline.
  mlir::scf::ForOp loop;
  llvm::SmallVector<hk::StageOp> stages;
  /// The wait in each slot (isPipelineWait), or null. Without a loop slot 0 has none.
  llvm::SmallVector<mlir::Operation *> waits;
  /// True if slot 0 is before the first stage: there is a wait, or the first stage uses the matrix units. Otherwise it
  /// is after the last one.
  bool isSlotZeroAtTop = false;
  /// Number of stages by which the high group lags.
  unsigned lag = 1;
  /// Number of the barrier of this pipeline's slots, if a block has named barriers; shared with other pipelines of the
  /// same warps.
  std::optional<int> namedBarrier = {};

  /// exclusive[s]: the groups ping-pong at stage s. Such pipelines have no slots.
  std::vector<bool> exclusive = {};

  bool isPingPong() const { return llvm::is_contained(exclusive, true); }
  unsigned numStages() const { return unsigned(stages.size()); }
  mlir::Operation *firstOp() const;
  mlir::Operation *lastOp() const;
};

/// True if `op` has no effects, and no warp waits for another in it. Layout conversions and reductions through scratch
/// memory have no effects, but contain barriers.
bool leavesWarpsAlone(mlir::Operation *op);

/// True for a wait for asynchronous accesses, or for the other warps: allowed between stages, and not in them.
bool isPipelineWait(mlir::Operation *op);

/// True for a wait for results in registers (wgmma), at which only the warps that started them wait: allowed in
/// stages.
bool isResultWait(mlir::Operation *op);

/// Returns the pipelines in program order. Reports deviations from the form above at the operation concerned.
mlir::FailureOr<llvm::SmallVector<WarpPipeline>> findWarpPipelines(mlir::Operation *function);

} // namespace hocket

#endif
