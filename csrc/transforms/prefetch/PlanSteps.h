//===- PlanSteps.h - What the plans for both kinds of copies have in common ---------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_PLANSTEPS_H
#define HOCKET_TRANSFORMS_PREFETCH_PLANSTEPS_H

#include "transforms/prefetch/LoopAccesses.h"
#include "transforms/prefetch/LoopSlice.h"
#include "transforms/prefetch/PipelinePlan.h"

#include "llvm/ADT/MapVector.h"

namespace hocket::prefetch {

/// The operations directly in the body, in order, with what they do.
using BodyAccesses = llvm::MapVector<mlir::Operation *, Accesses>;

using Roots = llvm::SmallVector<mlir::Operation *>;

/// The stage of `roots`; what `handedOver` loads is taken from the stage that loads it.
PipelineStage makeStage(mlir::scf::ForOp loop, int64_t ahead, llvm::ArrayRef<mlir::Operation *> roots,
                        const llvm::SetVector<mlir::Operation *> &handedOver);

/// Adds what the results of the loop are computed from, as far as they are used.
void addResults(PipelineStage &stage, mlir::scf::ForOp loop, const llvm::SetVector<mlir::Operation *> &handedOver);

/// Whether `op` has a place of its own in the computing stage: what it does is not just its results.
bool hasPlace(mlir::Operation *op, const Accesses &accesses);

std::variant<PipelinePlan, Refusal> planRegisterCopies(mlir::scf::ForOp loop, const BodyAccesses &body,
                                                       int64_t numStages);
std::variant<PipelinePlan, Refusal> planAsyncCopies(mlir::scf::ForOp loop, const BodyAccesses &body, int64_t numStages);

} // namespace hocket::prefetch

#endif
