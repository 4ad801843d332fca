//===- WarpPipelines.h - The warp pipelines of a function -------------------------===//
//
// A pipeline is the body of an scf.for with `hk.pipelined`, or two or more hk.stage in a row in any block, of which
// those after the first have no phase_gap:
//
//     scf.for {                       slot 0 is where the iteration begins, or where it ends
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

#include "dialect/hk/HkDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket {

struct WarpPipeline {
  /// Null in a straight line.
  mlir::scf::ForOp loop;
  llvm::SmallVector<hk::StageOp> stages;
  /// For each slot the wait in it (isPipelineWait), or null. Without a loop slot 0 has none.
  llvm::SmallVector<mlir::Operation *> waits;
  /// Slot 0 is before the first stage: a wait is there, or the first stage is for the matrix units. Else it is
  /// after the last.
  bool isSlotZeroAtTop = false;
  /// How many stages the high group is behind.
  unsigned lag = 1;
  /// Where a block has several barriers: the one that the slots of this pipeline are, and of others that the same warps
  /// run. Such a barrier orders all memory.
  std::optional<int> namedBarrier = {};

  /// exclusive[s]: the groups take turns at stage s. Then there are no slots.
  std::vector<bool> exclusive = {};

  bool takesTurns() const { return llvm::is_contained(exclusive, true); }
  unsigned numStages() const { return unsigned(stages.size()); }
  mlir::Operation *firstOp() const;
  mlir::Operation *lastOp() const;
};

/// Has `op` no effects, and does no warp wait for another in it? Layout conversions and reductions through scratch
/// memory have no effects, but contain barriers.
bool leavesWarpsAlone(mlir::Operation *op);

/// A wait for asynchronous accesses, or for the other warps: allowed between stages, and not in them.
bool isPipelineWait(mlir::Operation *op);

/// A wait for results in registers (products of a warpgroup), which holds up nobody but the warps that started them:
/// allowed in stages.
bool isResultWait(mlir::Operation *op);

/// In program order. Reports what is not of the form above at the operation concerned.
mlir::FailureOr<llvm::SmallVector<WarpPipeline>> findWarpPipelines(mlir::Operation *function);

} // namespace hocket

#endif
