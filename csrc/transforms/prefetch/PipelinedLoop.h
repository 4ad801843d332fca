//===- PipelinedLoop.h - Builds the software-pipelined loop ---------------------------===//
//
// With 3 stages, for copies through registers:
//
//     if trips >= 2 {
//       read(0)  write(0)  read(1)                                      prologue: first stages of the first iterations
//       for i in 0 ... trips - 2 { compute(i)  write(i+1)  read(i+2) }
//       compute(trips-2)  write(trips-1)  compute(trips-1)              epilogue: last stages of the last iterations
//     } else { the original loop }
//
// The new loop executes exactly the loads of the original loop, so no predicates are needed. With 2 stages, the
// condition is `trips >= 1` and there is no `else`; with constant bounds there is no branch.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_PIPELINEDLOOP_H
#define HOCKET_TRANSFORMS_PREFETCH_PIPELINEDLOOP_H

#include "transforms/prefetch/PipelinePlan.h"

namespace hocket::prefetch {

/// Replaces the loop of `plan` by the pipelined loop. If `keepsStagesApart`, inserts the hk.sched_barrier operations
/// that the plan requires.
void emitPipeline(const PipelinePlan &plan, bool keepsStagesApart);

/// Fills both blocks of `branch`: `make` emits the operations of the then block or of the else block, and returns the
/// values that the block yields.
void fillBranch(mlir::OpBuilder &builder, mlir::scf::IfOp branch,
                llvm::function_ref<llvm::SmallVector<mlir::Value>(bool isThen)> make);

/// Emits the trip count of `loop` as an unsigned number, because the difference of the bounds can overflow a signed
/// number.
mlir::Value countTrips(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

} // namespace hocket::prefetch

#endif
