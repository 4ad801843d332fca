//===- StagedWaits.h - Waits between the stages of warp pipelines -----------------------------------===//
//
// In a warp pipeline, a wait for copies is between two stages, and the two groups of warps pass the wait at different
// times. If the data passes between the groups, a slot after the wait must order the copies before the stage that reads
// them, at least `lag` stages later (StageFences.h):
//
//     scf.for {                                  scf.for {
//       hk.stage_begin "load"                      hk.stage_begin "load"
//       %x = hk.local_load %ring[%k % 3]           %x = hk.local_load %ring[%k % 3]
//       copy -> %ring[(%k + 2) % 3]                copy -> %ring[(%k + 2) % 3]
//       hk.stage_end                       =>      hk.async_commit_group
//       hk.stage_begin "compute"                   hk.stage_end
//       ...                                        hk.async_wait_group {outstanding = 1}
//       hk.stage_end                               hk.stage_begin "compute"
//     }                                            ...
//
// The waits depend on the stages of a complete pipeline. The functions below therefore run the passes of warp pipelines
// on a copy of the module.
//
// A wait is placed in the latest slot (barrier position between stages) that orders the copy before all accesses of the
// copied data. Copies that are in flight at the beginning of a pipeline, and that no wait of the pipeline completes
// before the data are accessed, get a wait before the pipeline. Code outside of stages gets waits as in a function
// without stages. Some of these waits are then unnecessary or too strong, so they are removed and relaxed like written
// waits.
//
// A wait is removed or relaxed only under two conditions. First, no operation in program order needs the unchanged wait
// (WaitNeeds.h), so each warp completes its own copies in time. Second, the passes of warp pipelines accept the changed
// program, so slots order the copies of all warps before the accesses of both groups.
//
// Not done: waits for copies between exclusive stages, which have no slots; a wait in a slot that already has a wait on
// another counter or a barrier. The passes of warp pipelines report the missing wait in both cases.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_STAGEDWAITS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_STAGEDWAITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/minimize_waits/WaitNeeds.h"

namespace hocket {

/// Inserts commits and waits for the copies of `function`, which has stages of warp pipelines and no commits or waits
/// for copies. Returns the inserted waits.
llvm::SmallPtrSet<mlir::Operation *, 4> placeStagedWaits(mlir::func::FuncOp function);

/// Removes and relaxes the waits between stages and outside of stages. If `keepsWritten`, changes only the waits in
/// `placed`, which the compiler has inserted.
void weakenStagedWaits(mlir::func::FuncOp function, const llvm::SmallPtrSetImpl<mlir::Operation *> &placed,
                       bool keepsWritten);

} // namespace hocket

#endif
