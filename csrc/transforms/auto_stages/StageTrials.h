//===- StageTrials.h - Tries stages in a copy of the module -------------------------===//
//
// A plan is written into a copy of the module, and the passes that check and lower the stages of a kernel run on the
// copy. A plan is used only if these passes accept it.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_AUTO_STAGES_STAGETRIALS_H
#define HOCKET_TRANSFORMS_AUTO_STAGES_STAGETRIALS_H

#include "transforms/auto_stages/StageDecision.h"

namespace hocket {

/// True if `loop` contains asynchronous MMAs. Stages of such a loop are formed before waits for the MMAs are placed.
bool hasAsyncMmas(mlir::scf::ForOp loop);

/// Returns the error that MinimizeWaits reports for a copy of the module that contains `op`; nullopt if there is none.
std::optional<std::string> errorOfWaits(mlir::Operation *op);

/// Tries the plans of `decision` in ascending order of their clocks. Sets `decision.chosen`, or `decision.reason` if no
/// plan is both accepted and worthwhile.
void chooseByTrial(mlir::scf::ForOp loop, StageDecision &decision);

/// Tries plan number `index` of `decision`. Sets `decision.chosen`, or `decision.reason` if the plan is not accepted.
void chooseByTrial(mlir::scf::ForOp loop, StageDecision &decision, size_t index);

} // namespace hocket

#endif
