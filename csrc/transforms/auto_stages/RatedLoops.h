//===- RatedLoops.h - Forms of a loop for which stages are rated --------------------===//
//
// Stages are rated for a loop as it is, and for copies of the loop that have been prepared:
//
//     divided MMAs         each MMA is divided along K, or along M and N (DivideMmas.h), so that reads of one part overlap
//                          with the MMA of another part
//     without waits        waits for asynchronous MMAs are erased; MinimizeWaits places new waits in the stages
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_AUTO_STAGES_RATEDLOOPS_H
#define HOCKET_TRANSFORMS_AUTO_STAGES_RATEDLOOPS_H

#include "transforms/auto_stages/StageDecision.h"

namespace hocket {

/// A loop, and plans for its stages. If the loop has been prepared, it is in a copy of the module.
struct RatedLoop {
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  mlir::scf::ForOp loop;
  StageDecision decision;

  bool hasPlans() const { return !decision.plans.empty(); }
  int64_t clocks() const { return decision.plans.front().played.clocks; }
};

/// Returns `loop` and, if its best plan is not close to the lower bound, copies of `loop` with divided MMAs, in
/// ascending order of their clocks.
llvm::SmallVector<RatedLoop, 3> rateDivisions(mlir::scf::ForOp loop);

/// Returns a copy of `loop` without waits for asynchronous MMAs. If the waits must be kept, or if the kernel lacks
/// waits, returns `loop` with the reason.
RatedLoop rateWithoutWaits(mlir::scf::ForOp loop);

/// Changes `loop`, for which `rated` was prepared, as `rated` was changed. Returns the changed loop, which may replace
/// `loop`. Updates the graph of `rated.decision` to the operations of the changed loop.
mlir::scf::ForOp prepareLike(mlir::scf::ForOp loop, RatedLoop &rated);

} // namespace hocket

#endif
