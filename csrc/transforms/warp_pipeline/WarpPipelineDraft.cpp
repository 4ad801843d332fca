//===- WarpPipelineDraft.cpp - Reads the markers of warp pipelines -----------------===//
#include "transforms/warp_pipeline/WarpPipelineDraft.h"

#include "analysis/warp_pipeline/WarpPipelines.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

unsigned PipelineDraft::numGroups() const { return countGroups(hk::numWarpsAt(firstBegin())); }

SmallVector<unsigned> PipelineDraft::lags() const { return lagsOf(firstBegin(), unsigned(phaseGap())); }

static bool isMarker(Operation *op) { return isa<hk::StageBeginOp, hk::StageEndOp>(op); }

static bool hasMarkers(Operation *op) {
  return op->walk([](hk::StageBeginOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool isPureScalar(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!isMemoryEffectFree(op))
    return false;
  WalkResult tensors = op->walk([&](Operation *inner) {
    return llvm::any_of(inner->getOperandTypes(), isTensor) || llvm::any_of(inner->getResultTypes(), isTensor) ||
                   isa<LoopLikeOpInterface>(inner)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return !tensors.wasInterrupted();
}

/// Returns the loop whose body is `block`, if the body is a warp pipeline; null for a straight-line pipeline.
static scf::ForOp pipelinedLoop(Block &block) {
  auto loop = dyn_cast<scf::ForOp>(block.getParentOp());
  return loop && !hk::kAroundStagesAttr.isOn(loop) ? loop : scf::ForOp();
}

static LogicalResult reportOutsideStages(Operation *op) {
  if (isa<LoopLikeOpInterface>(op) && hasMarkers(op)) {
    op->emitError("warp pipelines cannot be nested").attachNote() << "hint: keep only the stages of the inner loop";
    return failure();
  }
  if (isa<LoopLikeOpInterface>(op)) {
    op->emitError("a loop cannot be between the stages of a warp pipeline").attachNote()
        << "hint: move it into a stage and unroll it with gl.static_range; to pipeline its iterations, keep only the "
           "stages inside it";
    return failure();
  }
  op->emitError("this is outside the stages of a warp pipeline").attachNote()
      << "hint: move it into a stage; between stages only scalar arithmetic and one wait_group or gl.barrier() are "
         "allowed";
  return failure();
}

namespace {
/// Reads the stage markers of one basic block, in program order.
class DraftReader {
public:
  DraftReader(Block &block, SmallVectorImpl<PipelineDraft> &drafts) : loop(pipelinedLoop(block)), drafts(drafts) {
    startDraft();
  }

  LogicalResult read(Operation &op);
  LogicalResult finish();

private:
  void startDraft();
  void endDraft(Operation *endedBy);

  scf::ForOp loop;
  SmallVectorImpl<PipelineDraft> &drafts;
  PipelineDraft draft;
  /// Waits for asynchronous results at the top of a loop, which belong to the first stage.
  SmallVector<Operation *> leading;
  /// True if the last stage of `draft` has begun and not ended.
  bool isOpen = false;
};
} // namespace

void DraftReader::startDraft() {
  draft = {};
  draft.loop = loop;
  draft.gaps.emplace_back();
  isOpen = false;
}

void DraftReader::endDraft(Operation *endedBy) {
  if (!draft.stages.empty()) {
    draft.endedBy = endedBy;
    if (!loop)
      draft.gaps.front() = draft.gaps.back() = {};
    drafts.push_back(std::move(draft));
  }
  startDraft();
}

LogicalResult DraftReader::read(Operation &op) {
  if (auto begin = dyn_cast<hk::StageBeginOp>(op)) {
    if (isOpen)
      return op.emitError("stages of a warp pipeline cannot be nested");
    if (!loop && begin.getPhaseGap())
      endDraft(&op);
    draft.stages.push_back({begin, {}, std::exchange(leading, {})});
    isOpen = true;
  } else if (auto end = dyn_cast<hk::StageEndOp>(op)) {
    if (!isOpen)
      return op.emitError("hk.stage_end ends no stage of its block");
    draft.stages.back().end = end;
    draft.gaps.emplace_back();
    isOpen = false;
  } else if (isOpen) {
    draft.stages.back().body.push_back(&op);
  } else if (isPipelineWait(&op)) {
    draft.gaps.back().waits.push_back(&op);
  } else if (isResultWait(&op) && (loop || !draft.stages.empty())) {
    // A wait for the results of asynchronous operations becomes part of the preceding stage, or of the first stage if
    // no stage precedes it. A wait for results is not part of the gap between two stages.
    (draft.stages.empty() ? leading : draft.stages.back().body).push_back(&op);
  } else if (isPureScalar(&op)) {
    draft.gaps.back().scalars.push_back(&op);
  } else if (loop) {
    return reportOutsideStages(&op);
  } else {
    endDraft(&op);
  }
  return success();
}

LogicalResult DraftReader::finish() {
  if (isOpen)
    return draft.stages.back().begin.emitError("hk.stage_begin begins a stage that does not end in its block");
  endDraft(nullptr);
  return success();
}

/// True if a stage of a pipelined loop contains `branch` or is adjacent to it.
static bool isInPipeline(Operation *branch) {
  auto loop = branch->getParentOfType<scf::ForOp>();
  return loop && !hk::kAroundStagesAttr.isOn(loop);
}

static LogicalResult checkPlace(Operation *marker) {
  Operation *parent = marker->getParentOp();
  while (isa<scf::IfOp>(parent) && !isInPipeline(parent))
    parent = parent->getParentOp();
  // Possibly, the markers come from a loop with one iteration, which canonicalization has replaced by its body.
  auto begin = dyn_cast<hk::StageBeginOp>(marker);
  bool isLeftOfLoop = begin ? begin.getInLoop() : isa<hk::StageEndOp>(marker);
  if (isLeftOfLoop || isa<func::FuncOp, scf::ForOp, hk::WarpSpecializeOp, hk::WorkerOp>(parent))
    return success();
  if (isa<scf::IfOp>(parent)) {
    InFlightDiagnostic error =
        marker->emitError("a stage of a warp pipeline cannot be inside an `if` that is decided at run time");
    error.attachNote()
        << "hint: move the `if` into the stage, or the loop with all its stages into the `if`; code after "
           "an `if` with `return` counts as its other branch";
    return failure();
  }
  if (isa<scf::WhileOp>(parent)) {
    marker->emitError("a stage of a warp pipeline cannot be inside a `while` loop").attachNote()
        << "hint: write the loop with `for` and range";
    return failure();
  }
  return marker->emitError("hk.stage_begin cannot be inside ") << parent->getName();
}

FailureOr<SmallVector<PipelineDraft>> draftPipelines(Operation *function) {
  llvm::SmallSetVector<Block *, 4> blocks;
  WalkResult places = function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isMarker(op))
      return WalkResult::advance();
    blocks.insert(op->getBlock());
    return WalkResult(checkPlace(op));
  });
  if (places.wasInterrupted())
    return failure();
  SmallVector<PipelineDraft> drafts;
  for (Block *block : blocks) {
    DraftReader reader(*block, drafts);
    for (Operation &op : block->without_terminator())
      if (failed(reader.read(op)))
        return failure();
    if (failed(reader.finish()))
      return failure();
  }
  return drafts;
}

} // namespace hocket
