//===- FormStages.cpp - Forms the stages of warp pipelines in marked loops ----------===//
//
//     scf.for ... {                                scf.for ... {
//       hk.async_wait_group {outstanding = 1}        hk.stage_begin "shared" {priority = 1}
//       %x = hk.local_load %ring[%k % 3]             %x = hk.local_load %ring[%k % 3]
//       copy -> %ring[(%k + 2) % 3]          =>      copy -> %ring[(%k + 2) % 3]
//       %d = hk_amd.mfma %x, ...                     hk.stage_end
//     } {hk.auto_stages}                             hk.async_wait_group {outstanding = 1}
//                                                    hk.stage_begin "matrix" {priority = 0}
//                                                    %d = hk_amd.mfma %x, ...
//                                                    hk.stage_end
//                                                  }
//
// Input:   hk after waits for copies have been placed (MinimizeWaits); hk.auto_stages on loops, or on the module for
//          all innermost loops without stages.
// Output:  hk without hk.auto_stages; each loop has markers of stages, as a kernel writes them, or is unchanged. The
//          module attribute hk.stage_reports explains each decision (kernel.explain_schedule()).
// Method:  0. Loops that also have num_stages are software-pipelined first: they get ring buffers, and copies for later
//             iterations.
//          1. Graph (LoopGraph.h): the nodes are operations on tiles, each with the hardware units that it occupies and
//             the number of clocks. Dependences through values and memory, and waits for copies, constrain the stages
//             of the nodes. A loop for which no graph can be built is unchanged.
//          2. Search (StageSearch.h): branch and bound over the stages of the operations, for 2 to 6 stages and a lag
//             of 1 or 2. Each wait for copies moves to the latest slot that is at least one stage before other warps
//             read the copied data.
//          3. Rating (SchedulePlayer.h): a simulation of the hardware units estimates the clocks of the best plans, and
//             of the loop without stages. If the gain is below the model's error, the loop is unchanged. Steps 1 to 3
//             are repeated with the MMAs divided along K (DivideMmas.h), unless the best plan is close to its lower
//             bound.
//          4. Trial: the stages of the best plan are written into a copy of the module, and the passes that check and
//             lower warp pipelines (WarpPipelinePasses.cpp) run on the copy. If a pass reports an error on the copy,
//             the next plan is tried. Stages that the compiler forms therefore pass the same checks as stages of a
//             kernel.
//          5. The stages are written into the loop.
// Not done: loops with mbarriers or asynchronous MMAs, and num_stages for copies through registers; dividing an MMA
//           along M and N; more slots for ring buffers.
// Cost:    at most 40,000 partial plans for each number of stages and lag; one copy of the module for each trial.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "transforms/Passes.h"
#include "transforms/auto_stages/DivideMmas.h"
#include "transforms/auto_stages/StageDecision.h"
#include "transforms/warp_pipeline/WarpPipelinePasses.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_FORMSTAGES
#include "transforms/Passes.h.inc"

static bool hasMarkers(Operation *op) {
  return op->walk([](hk::StageBeginOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Moves hk.auto_stages from the module to its innermost loops without stages.
static void markLoops(ModuleOp module) {
  if (!hk::kAutoStagesAttr.isOn(module))
    return;
  hk::kAutoStagesAttr.remove(module);
  module.walk([](scf::ForOp loop) {
    auto isInnerLoop = [&](LoopLikeOpInterface inner) { return WalkResult(failure(inner != loop)); };
    if (!hasMarkers(loop) && !loop.walk(isInnerLoop).wasInterrupted())
      hk::kAutoStagesAttr.set(loop);
  });
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

/// Returns the error that the warp pipeline passes report for the stages of `plan`; nullopt if the passes accept them.
static std::optional<std::string> tryStages(scf::ForOp loop, const LoopGraph &graph, const StagePlan &plan) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(loop->getParentOfType<ModuleOp>()->clone(mapping));
  writeStages(cast<scf::ForOp>(mapping.lookup(loop.getOperation())), copyOf(graph, mapping), plan);
  std::string error;
  ScopedDiagnosticHandler handler(loop.getContext(), [&](mlir::Diagnostic &reported) {
    if (reported.getSeverity() == DiagnosticSeverity::Error && error.empty())
      error = reported.str();
    return success();
  });
  PassManager passes(loop.getContext());
  addWarpPipelinePasses(passes);
  return failed(passes.run(*copy)) ? std::optional(error) : std::nullopt;
}

/// Sets `decision.chosen`, or `decision.reason` if no plan can be chosen.
static void choose(scf::ForOp loop, StageDecision &decision) {
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

// Divided MMAs --------------------------------------------------------------------------------------------------------

/// Numbers of parts into which the MMAs of a loop are divided, besides 1.
static constexpr unsigned kParts[] = {2, 4};

namespace {
/// A loop, and plans for its stages. If the MMAs are divided, the loop is in a copy of the module.
struct RatedLoop {
  OwningOpRef<ModuleOp> copy;
  scf::ForOp loop;
  StageDecision decision;

  bool hasPlans() const { return !decision.plans.empty(); }
  int64_t clocks() const { return decision.plans.front().played.clocks; }
};
} // namespace

static StageDecision rate(scf::ForOp loop) {
  return rateStages(loop, MemoryAliases(loop->getParentOfType<func::FuncOp>()));
}

/// Rates `loop`, in a copy of the module, with each MMA divided into `parts`; nullopt if the MMAs cannot be divided.
static std::optional<RatedLoop> rateDivided(scf::ForOp loop, unsigned parts, const StageDecision &whole) {
  // With more graph nodes, the search would reach its limit before it has found good plans.
  constexpr unsigned kMostNodes = 24;
  if (whole.graph->opsOf.size() * parts > kMostNodes)
    return std::nullopt;
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(loop->getParentOfType<ModuleOp>()->clone(mapping));
  auto copied = cast<scf::ForOp>(mapping.lookup(loop.getOperation()));
  if (!divideMmas(copied, parts))
    return std::nullopt;
  RatedLoop rated{std::move(copy), copied, rate(copied)};
  rated.decision.parts = parts;
  rated.decision.plain = whole.plain;
  return rated;
}

/// Returns `loop` and, if its best plan is not close to the lower bound, copies of `loop` with divided MMAs, in
/// ascending order of their clocks.
static SmallVector<RatedLoop, 3> rateDivisions(scf::ForOp loop) {
  // A loop with more parts is preferred only if it gains more than kLeastGainPercent. A plan is close to its lower
  // bound if it exceeds the bound by less than twice kLeastGainPercent.
  constexpr int64_t kLeastGainPercent = 5;
  SmallVector<RatedLoop, 3> rated;
  rated.push_back({{}, loop, rate(loop)});
  const StageDecision &whole = rated.front().decision;
  if (!whole.graph ||
      (rated.front().hasPlans() && rated.front().clocks() * 100 < whole.bound * (100 + 2 * kLeastGainPercent)))
    return rated;
  for (unsigned parts : kParts) {
    std::optional<RatedLoop> divided = rateDivided(loop, parts, rated.front().decision);
    if (!divided || !divided->hasPlans())
      continue;
    auto isWorse = [&](const RatedLoop &other) {
      return !other.hasPlans() || divided->clocks() * (100 + kLeastGainPercent) < other.clocks() * 100;
    };
    rated.insert(llvm::find_if(rated, isWorse), std::move(*divided));
  }
  return rated;
}

static void remark(scf::ForOp loop, const StageDecision &decision) {
  auto clocks = [](const PlayedPlan &plan) { return std::to_string(plan.played.clocks); };
  InFlightDiagnostic remark = loop.emitRemark();
  if (decision.chosen) {
    const PlayedPlan &best = decision.plans[*decision.chosen];
    if (decision.parts > 1)
      remark << "divided each MMA into " << decision.parts << " along K, and ";
    remark << "formed " << best.plan.numStages << " stages: about " << clocks(best)
           << " clocks an iteration, instead of " << clocks(decision.plain);
    return;
  }
  remark << "formed no stages: " << decision.reason;
  if (!decision.plans.empty())
    remark.attachNote() << "with stages, an iteration would take about " << clocks(decision.plans.front())
                        << " clocks, instead of " << clocks(decision.plain) << "; the model's error is "
                        << kModelErrorPercent << " percent";
  if (Diagnostic at = decision.at ? hk::diagnosticAt(decision.at->getLoc()) : Diagnostic(); at.line > 0)
    remark.attachNote() << "in line " << at.line;
}

namespace {
struct FormStagesPass : impl::FormStagesBase<FormStagesPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())))
      return signalPassFailure();
    markLoops(getOperation());
    if (failed(prefetch()))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (hk::kAutoStagesAttr.isOn(loop))
        loops.push_back(loop);
      hk::kAutoStagesAttr.remove(loop);
    });
    if (loops.empty())
      return markAllAnalysesPreserved();
    SmallVector<std::string> reports;
    for (scf::ForOp loop : loops) {
      if (hasMarkers(loop)) {
        loop.emitError("warp_pipeline=\"auto\" forms stages, but this loop has stages already").attachNote()
            << "hint: leave warp_pipeline out, or remove the stages";
        return signalPassFailure();
      }
      reports.push_back(form(loop));
    }
    Builder builder(&getContext());
    SmallVector<StringRef> texts(reports.begin(), reports.end());
    hk::kStageReportsAttr.setAttr(getOperation(), builder.getStrArrayAttr(texts));
  }

  /// Software-pipelines marked loops with num_stages, so that stages are formed in the resulting loops with ring
  /// buffers. If the kernel also contains stages of the user, hocket-prefetch must run later, and marked loops with
  /// num_stages get no stages.
  LogicalResult prefetch() {
    const bool hasDefault = hk::kNumStagesAttr.isOn(getOperation());
    auto isBoth = [&](scf::ForOp loop) {
      return WalkResult(failure(hk::kAutoStagesAttr.isOn(loop) && (hasDefault || hk::kNumStagesAttr.isOn(loop))));
    };
    if (hasMarkers(getOperation()) || !getOperation().walk(isBoth).wasInterrupted())
      return success();
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createPrefetch());
    return runPipeline(passes, getOperation());
  }

  /// Forms the stages of `loop`; returns the report.
  static std::string form(scf::ForOp loop) {
    SmallVector<RatedLoop, 3> rated = rateDivisions(loop);
    auto best = llvm::find_if(rated, [](RatedLoop &each) {
      if (each.decision.reason.empty())
        choose(each.loop, each.decision);
      return each.decision.chosen.has_value();
    });
    if (best == rated.end())
      best = llvm::find_if(rated, [&](const RatedLoop &each) { return each.loop == loop; });
    StageDecision &decision = best->decision;
    std::string report = reportOf(best->loop, decision);
    remark(loop, decision);
    if (!decision.chosen)
      return report;
    if (best->loop != loop) {
      // Dividing and rating are deterministic, so the plan for the copy also fits the graph of `loop`.
      divideMmas(loop, decision.parts);
      decision.graph = rate(loop).graph;
    }
    writeStages(loop, *decision.graph, decision.plans[*decision.chosen].plan);
    return report;
  }
};
} // namespace

} // namespace hocket
