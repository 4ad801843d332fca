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
// Input:   hk with hk.auto_stages on loops, or on the module for all innermost loops without stages. The pass runs
//          twice. The first run (`before-waits`) forms the stages of loops with asynchronous MMAs, because waits for
//          these MMAs are placed after stages have been formed. The second run, after waits have been placed
//          (MinimizeWaits), forms the stages of all other loops, because the pass moves waits for copies.
// Output:  hk without hk.auto_stages; each loop has markers of stages, as a kernel writes them, or is unchanged. The
//          module attribute hk.stage_reports explains each decision (kernel.explain_schedule()).
// Method:  0. Loops that also have num_stages are software-pipelined first: they get ring buffers, and copies for later
//             iterations.
//             Exchanges between warps are divided over two stages by hocket-defer-exchanges, which runs later.
//          1. Graph (LoopGraph.h): the nodes are operations on tiles, each with the hardware units that it occupies and
//             the number of clocks. Dependences through values and memory, and waits for copies, constrain the stages
//             of the nodes. A loop for which no graph can be built is unchanged. In loops with asynchronous MMAs,
//             waits for these MMAs are erased first (RatedLoops.h).
//          2. Search (StageSearch.h): branch and bound over the stages of the operations, for 2 to 6 stages and a lag
//             of 1 or 2. Each wait for copies moves to the latest slot that is at least one stage before other warps
//             read the copied data.
//          3. Rating (SchedulePlayer.h): a simulation of the hardware units estimates the clocks of the best plans, and
//             of the loop without stages. On targets with named barriers, each of the best plans is also rated with
//             exclusive stages for the MMAs. If the gain is below the model's error, the loop is unchanged. Steps 1 to 3
//             are repeated with the MMAs divided along K, or along M and N (DivideMmas.h), unless the best plan is close to its lower
//             bound.
//             hk.stage_choice selects one of the best plans of all forms (Facts.h).
//          4. Trial (StageTrials.h): the stages of the best plan are written into a copy of the module, and the passes
//             that check and lower warp pipelines (WarpPipelinePasses.cpp) run on the copy. If a pass reports an error
//             on the copy, the next plan is tried. Stages that the compiler forms therefore pass the same checks as
//             stages of a kernel.
//          5. The stages are written into the loop.
// Not done: num_stages in loops with asynchronous MMAs; more slots for ring buffers. Copies that complete on mbarriers
//           are never prefetched, so in loops with such copies, num_stages is dropped.
// Cost:    at most 40,000 partial plans for each number of stages and lag; one copy of the module for each trial.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "transforms/Passes.h"
#include "transforms/auto_stages/RatedLoops.h"
#include "transforms/auto_stages/StageTrials.h"
#include "transforms/prefetch/PipelinePlan.h"

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

static void remark(scf::ForOp loop, const StageDecision &decision) {
  auto clocks = [](const PlayedPlan &plan) { return std::to_string(plan.played.clocks); };
  InFlightDiagnostic remark = loop.emitRemark();
  if (decision.chosen) {
    const PlayedPlan &best = decision.plans[*decision.chosen];
    if (decision.parts.count() > 1)
      remark << "divided each MMA into " << describe(decision.parts) << ", and ";
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

/// Returns the forms of `loop` for which stages are rated.
static SmallVector<RatedLoop, 3> rateForms(scf::ForOp loop, bool beforeWaits) {
  if (!hasAsyncMmas(loop))
    return rateDivisions(loop);
  SmallVector<RatedLoop, 3> rated;
  if (beforeWaits) {
    rated.push_back(rateWithoutWaits(loop));
  } else {
    rated.push_back({{}, loop, {}});
    rated.front().decision.reason = "num_stages and stages cannot be combined in a loop with asynchronous MMAs";
  }
  return rated;
}

/// Value of hk.stage_choice for a loop without stages; candidates have larger numbers.
static constexpr int64_t kNoStagesChoice = 1;

/// A plan for one of the forms of a loop.
struct StageCandidate {
  RatedLoop *form = nullptr;
  size_t plan = 0;
};

/// Returns the candidates among which hk.stage_choice chooses: the best plan of each form, the plans of the undivided
/// loop in the order of the program, and then the second best plans.
static SmallVector<StageCandidate> candidatesOf(MutableArrayRef<RatedLoop> rated) {
  constexpr size_t kMostCandidates = 6, kPlansEach = 2;
  SmallVector<StageCandidate> candidates;
  auto add = [&](RatedLoop &form, size_t plan) {
    auto isSame = [&](const StageCandidate &other) { return other.form == &form && other.plan == plan; };
    if (plan < form.decision.plans.size() && form.decision.reason.empty() && form.decision.isWorthwhile(plan) &&
        candidates.size() < kMostCandidates && llvm::none_of(candidates, isSame))
      candidates.push_back({&form, plan});
  };
  for (size_t plan = 0; plan < kPlansEach; ++plan) {
    for (RatedLoop &form : rated)
      add(form, plan);
    for (RatedLoop &form : rated)
      for (auto [index, each] : llvm::enumerate(form.decision.plans))
        if (each.isInProgramOrder && form.decision.parts.count() == 1)
          add(form, index);
  }
  return candidates;
}

/// Returns the form of the loop whose stages are used, or that explains why no stages are formed. Sets `chosen` or
/// `reason` of its decision.
static RatedLoop *chooseForm(MutableArrayRef<RatedLoop> rated, std::optional<int64_t> choice) {
  SmallVector<StageCandidate> candidates = candidatesOf(rated);
  for (RatedLoop &form : rated) {
    form.decision.numChoices = candidates.size();
    form.decision.choice = choice;
  }
  auto *whole = llvm::find_if(rated, [](const RatedLoop &each) { return each.decision.parts.count() == 1; });
  if (!choice || candidates.empty()) {
    auto *best = llvm::find_if(rated, [](RatedLoop &each) {
      if (each.decision.reason.empty())
        chooseByTrial(each.loop, each.decision);
      return each.decision.chosen.has_value();
    });
    return best != rated.end() ? best : whole;
  }
  const int64_t candidate = *choice - kNoStagesChoice - 1;
  if (candidate < 0 || candidate >= int64_t(candidates.size())) {
    whole->decision.reason = "by the schedule model of the machine code, the gain of stages is too small";
    return whole;
  }
  auto [form, plan] = candidates[size_t(candidate)];
  chooseByTrial(form->loop, form->decision, plan);
  return form;
}

/// Forms the stages of `loop`; returns the report. If hocket-prefetch cannot pipeline a loop with hk.num_stages, the
/// attribute is removed when stages are formed, with the warning that hocket-prefetch would emit later.
static std::string formStages(scf::ForOp loop, bool beforeWaits) {
  std::optional<int64_t> numStages;
  if (!isSoftwarePipelined(loop)) {
    numStages = hk::kNumStagesAttr.get(loop);
    hk::kNumStagesAttr.remove(loop);
  }
  SmallVector<RatedLoop, 3> rated = rateForms(loop, beforeWaits);
  RatedLoop *best = chooseForm(rated, hk::kStageChoiceAttr.get(loop->getParentOfType<ModuleOp>()));
  std::string report = reportOf(best->loop, best->decision);
  remark(loop, best->decision);
  if (!best->decision.chosen) {
    if (numStages)
      hk::kNumStagesAttr.set(loop, *numStages);
    return report;
  }
  if (numStages.value_or(1) > 1) {
    auto plan = prefetch::planPipeline(loop, *numStages);
    if (auto *why = std::get_if<prefetch::Refusal>(&plan))
      prefetch::warnNotPrefetched(loop, *why);
  }
  loop = prepareLike(loop, *best);
  writeStages(loop, *best->decision.graph, best->decision.plans[*best->decision.chosen].plan);
  return report;
}

static LogicalResult checkNoMarkers(scf::ForOp loop) {
  if (!hasMarkers(loop))
    return success();
  loop.emitError("warp_pipeline=\"auto\" forms stages, but this loop has stages already").attachNote()
      << "hint: leave warp_pipeline out, or remove the stages";
  return failure();
}

namespace {
struct FormStagesPass : impl::FormStagesBase<FormStagesPass> {
  using FormStagesBase::FormStagesBase;

  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())))
      return signalPassFailure();
    markLoops(getOperation());
    // Loops with num_stages are not distinguishable after they have been prefetched.
    SmallVector<scf::ForOp> asynchronous = markedLoops();
    llvm::erase_if(asynchronous, [](scf::ForOp loop) { return !hasAsyncMmas(loop) || isSoftwarePipelined(loop); });
    if (beforeWaits ? failed(formBeforeWaits(asynchronous))
                    : failed(prefetch()) || failed(formAfterWaits(asynchronous)))
      signalPassFailure();
  }

  SmallVector<scf::ForOp> markedLoops() {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (hk::kAutoStagesAttr.isOn(loop))
        loops.push_back(loop);
    });
    return loops;
  }

  void setReports(ArrayRef<Attribute> reports) {
    hk::kStageReportsAttr.setAttr(getOperation(), ArrayAttr::get(&getContext(), reports));
  }

  /// Forms the stages of `loops`, which contain asynchronous MMAs. The loops remain marked, so that the second run finds
  /// them.
  LogicalResult formBeforeWaits(ArrayRef<scf::ForOp> loops) {
    SmallVector<Attribute> reports;
    for (scf::ForOp loop : loops) {
      if (failed(checkNoMarkers(loop)))
        return failure();
      hk::kAutoStagesAttr.remove(loop);
      reports.push_back(StringAttr::get(&getContext(), formStages(loop, beforeWaits)));
      hk::kAutoStagesAttr.set(loop);
    }
    if (!reports.empty())
      setReports(reports);
    return success();
  }

  /// Forms the stages of marked loops, except the loops `before`, whose stages the first run has formed. Inserts the
  /// reports between the reports of the first run, such that the reports are in the order of the loops.
  LogicalResult formAfterWaits(ArrayRef<scf::ForOp> before) {
    SmallVector<scf::ForOp> loops = markedLoops();
    if (loops.empty())
      return markAllAnalysesPreserved(), success();
    ArrayAttr known = hk::kStageReportsAttr.getAttr(getOperation());
    SmallVector<Attribute> unused(known ? known.getValue() : ArrayRef<Attribute>()), reports;
    for (scf::ForOp loop : loops) {
      hk::kAutoStagesAttr.remove(loop);
      if (llvm::is_contained(before, loop) && !unused.empty()) {
        reports.push_back(unused.front());
        unused.erase(unused.begin());
        continue;
      }
      if (failed(checkNoMarkers(loop)))
        return failure();
      reports.push_back(StringAttr::get(&getContext(), formStages(loop, beforeWaits)));
    }
    setReports(reports);
    return success();
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
};
} // namespace

} // namespace hocket
