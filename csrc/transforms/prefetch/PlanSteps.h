//===- PlanSteps.h - Common steps of the plans for both kinds of copies -------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_PLANSTEPS_H
#define HOCKET_TRANSFORMS_PREFETCH_PLANSTEPS_H

#include "transforms/prefetch/LoopAccesses.h"
#include "transforms/prefetch/LoopSlice.h"
#include "transforms/prefetch/PipelinePlan.h"

#include "llvm/ADT/MapVector.h"

namespace hocket::prefetch {

/// The operations directly in the body, in order, with their accesses.
using BodyAccesses = llvm::MapVector<mlir::Operation *, Accesses>;

using Roots = llvm::SmallVector<mlir::Operation *>;

/// Makes the stage of `roots`; results of `handedOver` are taken from the stage that loads them.
PipelineStage makeStage(mlir::scf::ForOp loop, int64_t ahead, llvm::ArrayRef<mlir::Operation *> roots,
                        const llvm::SetVector<mlir::Operation *> &handedOver);

/// Adds the operations that compute used results of the loop.
void addResults(PipelineStage &stage, mlir::scf::ForOp loop, const llvm::SetVector<mlir::Operation *> &handedOver);

/// True if `op` has a fixed position in the computing stage because it has effects besides its results.
bool hasPlace(mlir::Operation *op, const Accesses &accesses);

std::variant<PipelinePlan, Refusal> planRegisterCopies(mlir::scf::ForOp loop, const BodyAccesses &body,
                                                       int64_t numStages);
std::variant<PipelinePlan, Refusal> planAsyncCopies(mlir::scf::ForOp loop, const BodyAccesses &body, int64_t numStages);

} // namespace hocket::prefetch

#endif
