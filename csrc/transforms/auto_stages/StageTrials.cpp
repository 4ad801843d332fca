//===- StageTrials.cpp - Tries stages in a copy of the module -----------------------===//
#include "transforms/auto_stages/StageTrials.h"

#include "dialect/hk/facts/AsyncResults.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "transforms/Passes.h"
#include "transforms/warp_pipeline/WarpPipelinePasses.h"

using namespace mlir;

namespace hocket {

bool hasAsyncMmas(scf::ForOp loop) {
  return loop.walk([](hk::AsyncResults) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Runs `passes` on `module`; returns the first error, or nullopt if the passes succeed.
static std::optional<std::string> errorOf(PassManager &passes, ModuleOp module) {
  std::string error;
  ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &reported) {
    if (reported.getSeverity() == DiagnosticSeverity::Error && error.empty())
      error = reported.str();
    return success();
  });
  return failed(passes.run(module)) ? std::optional(error) : std::nullopt;
}

std::optional<std::string> errorOfWaits(Operation *op) {
  OwningOpRef<ModuleOp> copy = op->getParentOfType<ModuleOp>().clone();
  PassManager passes(op->getContext());
  passes.addPass(createMinimizeWaits());
  return errorOf(passes, *copy);
}

/// Returns `graph` with its operations replaced by the operations to which `mapping` maps them.
static LoopGraph copyOf(const LoopGraph &graph, const IRMapping &mapping) {
  LoopGraph copy = graph;
  for (auto &ops : copy.opsOf)
    for (Operation *&op : ops)
      op = mapping.lookup(op);
  for (Operation *&op : copy.waits)
    op = mapping.lookup(op);
  return copy;
}

/// Returns the error that the passes of warp pipelines report for the stages of `plan`; nullopt if the passes accept
/// the stages.
static std::optional<std::string> tryStages(scf::ForOp loop, const LoopGraph &graph, const StagePlan &plan) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(loop->getParentOfType<ModuleOp>()->clone(mapping));
  writeStages(cast<scf::ForOp>(mapping.lookup(loop.getOperation())), copyOf(graph, mapping), plan);
  PassManager passes(loop.getContext());
  if (hasAsyncMmas(loop))
    passes.addPass(createMinimizeWaits());
  addWarpPipelinePasses(passes);
  return errorOf(passes, *copy);
}

void chooseByTrial(scf::ForOp loop, StageDecision &decision, size_t index) {
  if (std::optional<std::string> error = tryStages(loop, *decision.graph, decision.plans[index].plan))
    decision.reason = *error;
  else
    decision.chosen = index;
}

void chooseByTrial(scf::ForOp loop, StageDecision &decision) {
  std::string firstError;
  for (size_t index = 0; index < decision.plans.size() && decision.isWorthwhile(index); ++index) {
    std::optional<std::string> error = tryStages(loop, *decision.graph, decision.plans[index].plan);
    if (!error) {
      decision.chosen = index;
      return;
    }
    if (firstError.empty())
      firstError = *error;
  }
  decision.reason = firstError.empty() ? "the expected gain is below the model's error" : firstError;
}

} // namespace hocket
