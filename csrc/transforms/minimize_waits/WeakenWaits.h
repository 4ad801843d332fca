//===- WeakenWaits.h - Finds waits that can be removed or can leave more groups in flight -----------===//
//
// A wait of a program without stages can be changed if no operation needs the wait (WaitNeeds.h). In a function with
// stages of warp pipelines, the other group of warps runs the stages at other times. A changed wait must therefore also
// leave enough slots between the wait and the stages that access the memory (StageFences.h). StagedWaits.h checks this
// condition.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_WEAKENWAITS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_WEAKENWAITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/minimize_waits/WaitNeeds.h"

namespace hocket {

/// Returns, for each wait that can leave more groups in flight, the new number of groups; nullopt for a wait that can
/// be removed. Considers only waits for which `mayChange` returns true. If `accepts` is not null, a wait is changed
/// only if `accepts` returns true for all changes up to and including this one.
WaitNeeds::Replaced findWeaker(mlir::func::FuncOp function, llvm::function_ref<bool(mlir::Operation *)> mayChange,
                               llvm::function_ref<bool(const WaitNeeds::Replaced &)> accepts = nullptr);

/// True if `wait` is for asynchronous writes of global memory. The pass keeps such a wait, because readers in other
/// CTAs can rely on it.
bool isForGlobalWrites(mlir::func::FuncOp function, hk::AsyncWait wait);

/// Changes the waits as `weaker` specifies. Emits a remark for each changed wait, except for waits in `placed` and for
/// waits with the attribute `implied`, which the compiler has inserted.
void applyWeaker(const WaitNeeds::Replaced &weaker, const llvm::SmallPtrSetImpl<mlir::Operation *> &placed);

} // namespace hocket

#endif
