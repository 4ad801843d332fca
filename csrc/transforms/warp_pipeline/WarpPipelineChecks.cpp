//===- WarpPipelineChecks.cpp - Checks the rules of warp pipelines -----------------===//
//
// The rules and their reasons:
//
//   8, 12 or 16 warps
//                   Groups of four warps; a compute unit has four SIMDs, each of which runs a warp of each group.
//   two stages      With a single stage, all groups are in the same stage and cannot alternate.
//   one wait a gap  Each gap has one barrier for all groups. A second wait would need a second barrier. The top
//                   and the bottom of a loop are one gap.
//   no waits, loops or scratch memory in a stage
//                   A barrier inside a stage would pair with another barrier that another group executes: the lags of
//                   the groups would change. A loop can execute any number of barriers.
//                   DeferExchanges has already removed the scratch memory of operations whose results are used later.
//   the same trip count in all warps
//                   A warp that runs more iterations than others would wait at a barrier that no other warp reaches.
//
//===------------------------------------------------------------------------------===//
#include "transforms/warp_pipeline/WarpPipelineChecks.h"

#include "analysis/warp_pipeline/WarpPipelines.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Scratch.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

/// Reports an error at `op`; `note` may be empty.
static LogicalResult report(Operation *op, const Twine &message, const Twine &hint, const std::string &note = "") {
  InFlightDiagnostic error = op->emitError() << message;
  if (!note.empty())
    error.attachNote() << note;
  error.attachNote() << "hint: " << hint;
  return failure();
}

// The block -----------------------------------------------------------------------------------------------------------

static LogicalResult checkWarps(const PipelineDraft &draft) {
  if (draft.numGroups() > 0)
    return success();
  int numWarps = hk::numWarpsAt(draft.firstBegin());
  std::string needs = "a warp pipeline needs " + std::string(kPipelineWarps) + " warps, in groups of four, but ";
  if (auto worker = draft.firstBegin()->getParentOfType<hk::WorkerOp>())
    return report(draft.firstBegin(), needs + "the worker `" + worker.getName() + "` has " + Twine(numWarps),
                  "give it 8 in worker_num_warps");
  return report(draft.firstBegin(), needs + "the kernel runs with num_warps=" + Twine(numWarps),
                "launch with num_warps=8");
}

static LogicalResult checkUniform(const PipelineDraft &draft, const WarpUniformity &uniformity) {
  auto check = [&](Operation *op, ValueRange decisions, const char *message) {
    for (Value value : decisions)
      if (WarpDifference difference = uniformity.differenceIn(value))
        return report(op, message,
                      "pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the "
                      "same value",
                      "it depends on " + difference.reason + hk::lineOf(difference.source, " (", ")"));
    return success();
  };
  const char *runs =
      "the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of "
      "its warp pipeline";
  const char *decides = "the warps of a block may take different branches here, so some would wait forever at a "
                        "barrier of the warp pipeline inside";
  // The walk ends at a worker, because all warps of a worker execute its body.
  for (Operation *op = draft.firstBegin()->getParentOp(); !isa<func::FuncOp, hk::WorkerOp>(op);
       op = op->getParentOp()) {
    LogicalResult result = success();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      result = check(op, {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, runs);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      result = check(op, loop.getConditionOp().getCondition(), runs);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      result = check(op, branch.getCondition(), decides);
    if (failed(result))
      return failure();
  }
  return success();
}

// Stages and gaps -----------------------------------------------------------------------------------------------------

/// True if `loop` is not null and its body is a warp pipeline.
static bool hasStages(Operation *loop) {
  return isa_and_nonnull<LoopLikeOpInterface>(loop) &&
         loop->walk([](hk::StageBeginOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Returns the lags of `groups` groups of which each has a lag of 0 or 1, as source text: "(0, 0, 1, 1)".
static std::string smallestLags(unsigned groups) {
  std::string text;
  for (unsigned group = 0; group < groups; ++group)
    text += (group == 0 ? "(" : ", ") + std::to_string(group >= (groups + 1) / 2);
  return text + ")";
}

/// Checks the lags of the groups.
static LogicalResult checkLags(const PipelineDraft &draft) {
  unsigned groups = draft.numGroups(), lag = draft.maxLag();
  if (draft.hasEnoughStages())
    return success();
  std::string needed = " needs at least " + std::to_string(lag + 1) + " stages, but this pipeline has " +
                       std::to_string(draft.stages.size());
  if (draft.hasLags())
    return report(draft.firstBegin(), "the lag of " + Twine(lag) + " stages in phase_gap" + needed,
                  "use smaller lags, or split a stage");
  if (groups == 2)
    return report(draft.firstBegin(), "phase_gap=" + Twine(draft.phaseGap()) + needed,
                  "leave phase_gap out, or split a stage");
  return report(draft.firstBegin(),
                "group " + Twine(groups - 1) + " of this warp pipeline lags " + Twine(lag) +
                    " stages behind group 0, which" + needed,
                "split a stage; or give each group a smaller lag: phase_gap=" + smallestLags(groups));
}

static LogicalResult checkStages(const PipelineDraft &draft) {
  if (draft.stages.size() == 1) {
    bool isAround = isa<scf::ForOp>(draft.firstBegin()->getParentOp()) && hasStages(draft.endedBy);
    if (isAround)
      return report(draft.endedBy, "warp pipelines cannot be nested", "keep only the stages of the inner loop");
    std::string note;
    if (isa_and_nonnull<hk::StageBeginOp>(draft.endedBy))
      note = "the stage" + hk::lineOf(draft.endedBy, " in ") + " begins another pipeline, because it has a phase_gap";
    else if (draft.endedBy)
      note = "the pipeline ends before " + hk::lineOf(draft.endedBy, "", "", "an operation") + ", which is in no stage";
    return report(draft.firstBegin(), "a warp pipeline needs at least two stages, but this is the only one",
                  "put memory reads and computation into separate stages, one after the other", note);
  }
  // Only the first stage can have a phase_gap. In an unrolled loop, each copy of the first stage has the phase_gap.
  for (const DraftStage &stage : llvm::drop_begin(draft.stages))
    if (hk::StageBeginOp(stage.begin).getPhaseGap() && stage.begin->getLoc() != draft.firstBegin()->getLoc())
      return report(stage.begin, "only the first stage of a warp pipeline can have a phase_gap",
                    "move it to the stage" + hk::lineOf(draft.firstBegin(), " in "));
  if (failed(checkLags(draft)))
    return failure();
  if (draft.loop && hk::kNumStagesAttr.isOn(draft.loop))
    return report(draft.loop, "num_stages requests a software pipeline, but this loop has stages of a warp pipeline",
                  "leave num_stages out, or remove the stages");
  return success();
}

/// Checks pipelines with exclusive stages (ping-pong).
static LogicalResult checkPingPong(const PipelineDraft &draft) {
  auto isExclusive = [](DraftStage stage) { return stage.begin.getExclusive(); };
  auto first = llvm::find_if(draft.stages, isExclusive);
  if (first == draft.stages.end())
    return success();
  if (draft.phaseGap() != 1 || draft.hasLags())
    return report(draft.firstBegin(),
                  (draft.hasLags() ? "phase_gap" : "phase_gap=" + std::to_string(draft.phaseGap())) +
                      " has no meaning with exclusive stages, at which the groups alternate",
                  "leave phase_gap or `exclusive` out",
                  "the stage" + hk::lineOf(first->begin, " in ") + " is exclusive");
  if (llvm::all_of(draft.stages, isExclusive))
    return report(first->begin, "all stages of this warp pipeline are exclusive: the groups would never overlap",
                  "keep `exclusive` only where both groups need the same unit");
  for (const DraftGap &gap : draft.gaps)
    if (!gap.waits.empty())
      return report(
          gap.waits.front(),
          "a warp pipeline with exclusive stages cannot wait between its stages, where the groups do not synchronize",
          "leave `exclusive` out; or wait in a stage for an mbarrier at which the copies arrive",
          "the stage" + hk::lineOf(first->begin, " in ") + " is exclusive");
  return success();
}

static LogicalResult checkGaps(const PipelineDraft &draft) {
  for (const DraftGap &gap : draft.gaps)
    if (gap.waits.size() > 1)
      return report(gap.waits[1], "this is the second wait between two stages of a warp pipeline",
                    "keep one of them, or put an empty stage between the two",
                    "the first is" + hk::lineOf(gap.waits[0], " in ", "", " elsewhere"));
  if (draft.gaps.front().waits.empty() || draft.gaps.back().waits.empty())
    return success();
  return report(draft.gaps.back().waits[0], "this loop waits at its bottom and at its top, with no stage in between",
                "keep one of them, or put an empty stage before or after one",
                "the wait at the top is" + hk::lineOf(draft.gaps.front().waits[0], " in ", "", " elsewhere"));
}

// Inside stages -------------------------------------------------------------------------------------------------------

static LogicalResult reportScratch(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](hk::ReduceOp reduce) {
        // If all elements of a tensor are reduced to a scalar, no layout assigns all elements to one warp.
        bool isOfAll = cast<RankedTensorType>(reduce.getSrcs().front().getType()).getRank() == 1;
        std::string hint = isOfAll ? "reduce along an axis that one warp holds, and do the rest after the pipeline"
                                   : "choose a layout that has one warp along axis " +
                                         std::to_string(reduce.getAxis()) + ", or reduce after the pipeline";
        return report(
            reduce,
            "a stage of a warp pipeline cannot contain a reduction over several warps, which waits for all of "
            "them",
            hint);
      })
      .Case([](hk::ConvertLayoutOp convert) {
        return report(
            convert,
            "a stage of a warp pipeline cannot contain a layout conversion that moves elements between warps, "
            "which waits for all of them",
            "store to shared memory here and load in the new layout after the next stage, or convert "
            "outside the pipeline");
      })
      .Case([](hk::AtomicAccess atomic) {
        return report(atomic,
                      "a stage of a warp pipeline cannot contain an atomic whose old values go to several warps, which "
                      "waits for all of them",
                      "leave its result unused, or move it out of the pipeline");
      })
      .Default([](Operation *other) {
        return report(other,
                      "a stage of a warp pipeline cannot contain an operation that passes values between warps, which "
                      "waits for all of them",
                      "move it out of the pipeline");
      });
}

/// Reports an error if `op`, or an operation inside `op`, is not allowed in a stage.
static LogicalResult checkInStage(Operation *op) {
  WalkResult result = op->walk<WalkOrder::PreOrder>([](Operation *inner) -> WalkResult {
    if (isa<LoopLikeOpInterface>(inner))
      return report(inner, "a stage of a warp pipeline cannot contain a loop",
                    "unroll it with gl.static_range; to pipeline its iterations, put the stages in its body");
    if (isa<hk::WarpSpecializeOp>(inner))
      return report(inner, "a stage of a warp pipeline cannot contain gl.warp_specialize, which waits for all warps",
                    "move it out of the pipeline, or the pipeline into one of the functions that it runs");
    if (auto named = dyn_cast<hk::NamedBarrierUse>(inner); named && named.waits())
      return report(
          inner,
          "a stage of a warp pipeline cannot wait at a named barrier, where its two groups would wait for each other",
          "wait before the pipeline or after it; or use an mbarrier");
    if (isPipelineWait(inner))
      return report(inner,
                    Twine("a stage of a warp pipeline cannot contain ") +
                        (isa<hk::BarrierOp>(inner) ? "a barrier" : "a wait"),
                    "move it between two stages");
    if (hk::getScratchBytes(inner) > 0)
      return reportScratch(inner);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkPipeline(const PipelineDraft &draft, const WarpUniformity &uniformity) {
  if (failed(checkWarps(draft)) || failed(checkStages(draft)) || failed(checkPingPong(draft)) ||
      failed(checkGaps(draft)))
    return failure();
  for (const DraftStage &stage : draft.stages)
    for (Operation *op : stage.body)
      if (failed(checkInStage(op)))
        return failure();
  return checkUniform(draft, uniformity);
}

} // namespace hocket
