//===- WarpPipelines.h - The warp pipelines of a function -------------------------===//
//
// A warp pipeline is the body of an scf.for with `hk.pipelined`, or a sequence of two or more hk.stage in any block. In
// a sequence, only the first stage may have the attribute phase_gap. Group g lags g times the phase_gap behind group 0,
// unless the first stage has lags for all groups (kGroupLagsAttr):
//
//     scf.for {                       slot 0 is at the beginning or at the end of the iteration
//       hk.stage "load" {}            stage 0
//       hk.async_wait_group           slot 1, with a wait
//       hk.stage "compute" {}         stage 1
//     } {hk.pipelined = 1}
//
// Operations between stages belong to no stage. Operations between stages must have no effects and no barriers.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_WARPPIPELINES_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_WARPPIPELINES_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket {

/// Number of warps that run a warp pipeline with two groups.
inline constexpr int kWarpsOfPipeline = 2 * hk::HkDialect::kWarpsPerGroup;

/// The possible numbers of warps of a warp pipeline, for messages.
inline constexpr llvm::StringLiteral kPipelineWarps = "8, 12 or 16";

/// Returns the number of groups in which `numWarps` warps run a warp pipeline; 0 if they cannot.
unsigned countGroups(int numWarps);

/// Returns the lags of the groups that run the warp pipeline whose first stage is `first`: the lags that `first` has
/// (kGroupLagsAttr), or else multiples of `phaseGap`. If the number of warps is wrong, which the lowering reports,
/// returns the lags of two groups.
llvm::SmallVector<unsigned> lagsOf(mlir::Operation *first, unsigned phaseGap);

struct WarpPipeline {
  /// The loop of the pipeline; null for a straight-line pipeline.
  mlir::scf::ForOp loop;
  llvm::SmallVector<hk::StageOp> stages;
  /// waits[s] is the wait of slot s (isPipelineWait), or null. Without a loop, the wait of slot 0 is null.
  llvm::SmallVector<mlir::Operation *> waits;
  /// True if slot 0 is before the first stage, because slot 0 has a wait or because the first stage uses the matrix
  /// units. If the member is false, slot 0 is after the last stage.
  bool isSlotZeroAtTop = false;
  /// lags[g] is the number of stages by which group g (warps 4 * g to 4 * g + 3) lags behind group 0. The lags do not
  /// decrease, and lags[0] is 0.
  llvm::SmallVector<unsigned> lags = {0, 1};
  /// Index of the named barrier that the slots use; nullopt if the target has no named barriers. All pipelines of the
  /// same warps use the same named barrier.
  std::optional<int> namedBarrier = {};

  /// exclusive[s] is true if only one group at a time executes stage s (ping-pong). Pipelines with exclusive stages
  /// have no slots.
  std::vector<bool> exclusive = {};

  bool isPingPong() const { return llvm::is_contained(exclusive, true); }
  unsigned numStages() const { return unsigned(stages.size()); }
  unsigned numGroups() const { return unsigned(lags.size()); }
  unsigned maxLag() const { return lags.back(); }
  mlir::Operation *firstOp() const;
  mlir::Operation *lastOp() const;
};

/// True if `op` has no effects and no barriers. Layout conversions and reductions through scratch memory have no
/// effects, but contain barriers.
bool leavesWarpsAlone(mlir::Operation *op);

/// True if `op` is a wait for asynchronous accesses, or a barrier. Such operations are allowed between stages, but not
/// inside stages.
bool isPipelineWait(mlir::Operation *op);

/// True if `op` is a wait for asynchronous results in registers (wgmma). Such a wait is allowed in stages, because only
/// the warps that started the wgmma wait.
bool isResultWait(mlir::Operation *op);

/// Returns the pipelines in program order. Emits an error at an operation that violates the form described at the top
/// of this file.
mlir::FailureOr<llvm::SmallVector<WarpPipeline>> findWarpPipelines(mlir::Operation *function);

} // namespace hocket

#endif
