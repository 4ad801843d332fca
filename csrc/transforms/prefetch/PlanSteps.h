//===- PlanSteps.h - Common steps of planning asynchronous copies and copies through registers --------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_PLANSTEPS_H
#define HOCKET_TRANSFORMS_PREFETCH_PLANSTEPS_H

#include "transforms/prefetch/LoopAccesses.h"
#include "transforms/prefetch/LoopSlice.h"
#include "transforms/prefetch/PipelinePlan.h"

#include "llvm/ADT/MapVector.h"

namespace hocket::prefetch {

/// The operations directly in the body of the loop, in order, each with its accesses.
using BodyAccesses = llvm::MapVector<mlir::Operation *, Accesses>;

using Roots = llvm::SmallVector<mlir::Operation *>;

/// Returns a stage that consists of `roots` and the operations that compute their operands. The loads in `handedOver`
/// are not repeated, because another stage passes their results to this stage.
PipelineStage makeStage(mlir::scf::ForOp loop, int64_t ahead, llvm::ArrayRef<mlir::Operation *> roots,
                        const llvm::SetVector<mlir::Operation *> &handedOver);

/// Adds the operations that compute the results of the loop that are used after the loop.
void addResults(PipelineStage &stage, mlir::scf::ForOp loop, const llvm::SetVector<mlir::Operation *> &handedOver);

/// True if `op` has effects, and therefore must keep its position in `compute`.
bool hasPlace(mlir::Operation *op, const Accesses &accesses);

/// Checks that no copies complete on mbarriers: the kernel computes the phases of mbarriers.
std::optional<Refusal> checkCompletions(const BodyAccesses &body);

std::variant<PipelinePlan, Refusal> planRegisterCopies(mlir::scf::ForOp loop, const BodyAccesses &body,
                                                       int64_t numStages);
std::variant<PipelinePlan, Refusal> planAsyncCopies(mlir::scf::ForOp loop, const BodyAccesses &body, int64_t numStages);

} // namespace hocket::prefetch

#endif
