//===- WarpPipelines.cpp - The warp pipelines of a function -----------------------===//
#include "analysis/warp_pipeline/WarpPipelines.h"

#include "dialect/hk/facts/AsyncResults.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Scratch.h"

using namespace mlir;

namespace hocket {

Operation *WarpPipeline::firstOp() const {
  if (loop)
    return scf::ForOp(loop);
  return hk::StageOp(stages.front());
}

Operation *WarpPipeline::lastOp() const {
  if (loop)
    return scf::ForOp(loop);
  return hk::StageOp(stages.back());
}

unsigned countGroups(int numWarps) {
  constexpr int kWarpsPerGroup = hk::HkDialect::kWarpsPerGroup, kMaxGroups = 4;
  bool areGroups = numWarps % kWarpsPerGroup == 0 && numWarps >= 2 * kWarpsPerGroup;
  return areGroups && numWarps <= kMaxGroups * kWarpsPerGroup ? unsigned(numWarps / kWarpsPerGroup) : 0;
}

SmallVector<unsigned> lagsOf(Operation *first, unsigned phaseGap) {
  if (DenseI32ArrayAttr given = hk::kGroupLagsAttr.getAttr(first))
    return SmallVector<unsigned>(given.asArrayRef().begin(), given.asArrayRef().end());
  SmallVector<unsigned> lags;
  unsigned groups = std::max(countGroups(hk::numWarpsAt(first)), 2u);
  for (unsigned group = 0; group < groups; ++group)
    lags.push_back(group * phaseGap);
  return lags;
}

static std::vector<bool> findExclusive(ArrayRef<hk::StageOp> stages) {
  std::vector<bool> exclusive;
  for (hk::StageOp stage : stages)
    exclusive.push_back(stage.getExclusive());
  return exclusive;
}

bool leavesWarpsAlone(Operation *op) {
  if (!isMemoryEffectFree(op))
    return false;
  auto waits = [](Operation *inner) { return WalkResult(failure(hk::getScratchBytes(inner) > 0)); };
  return !op->walk(waits).wasInterrupted();
}

bool isResultWait(Operation *op) {
  auto wait = dyn_cast<hk::AsyncWait>(op);
  return wait && (op->getNumResults() > 0 || wait.getImplied());
}

bool isPipelineWait(Operation *op) { return isa<hk::AsyncWait, hk::BarrierOp>(op) && !isResultWait(op); }

/// Sets the wait of slot `slot` to `wait`; emits an error if the slot already has a wait.
static LogicalResult addWait(WarpPipeline &pipeline, unsigned slot, Operation *wait) {
  Operation *&place = pipeline.waits[slot];
  if (place)
    return wait->emitError("this is the second wait between two stages of a warp pipeline").attachNote()
               << "hint: keep one of them, or put an empty stage between the two",
           failure();
  place = wait;
  return success();
}

static bool multiplies(hk::StageOp stage) {
  return stage.getBody().walk([](hk::Mma) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// True if the barrier of slot 0 is best executed at the top of the loop's body: the first stage uses the matrix units
/// and the last stage does not. The increment and branch of the loop are executed at the end of the loop's body. With a
/// barrier at the bottom of the loop, the increment and branch would follow the barrier and delay the MMAs of the first
/// stage. With a barrier at the top of the loop, the increment and branch are part of the last stage.
static bool beginsWithMatrixUnits(const WarpPipeline &pipeline) {
  return multiplies(pipeline.stages.front()) && !multiplies(pipeline.stages.back());
}

static FailureOr<WarpPipeline> readLoop(scf::ForOp loop) {
  WarpPipeline pipeline;
  pipeline.loop = loop;
  llvm::append_range(pipeline.stages, loop.getBody()->getOps<hk::StageOp>());
  if (pipeline.numStages() < 2)
    return loop.emitError("a warp pipeline needs at least two stages"), failure();
  pipeline.lags = lagsOf(pipeline.stages.front(), unsigned(*hk::kPipelinedAttr.get(loop)));
  pipeline.waits.assign(pipeline.numStages(), nullptr);
  unsigned seen = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<hk::StageOp>(op)) {
      ++seen;
    } else if (isPipelineWait(&op)) {
      if (failed(addWait(pipeline, seen % pipeline.numStages(), &op)))
        return failure();
      pipeline.isSlotZeroAtTop |= seen == 0;
    } else if (!leavesWarpsAlone(&op)) {
      return op.emitError("this is outside the stages of a warp pipeline, and is not a wait"), failure();
    }
  }
  if (!pipeline.waits[0])
    pipeline.isSlotZeroAtTop = beginsWithMatrixUnits(pipeline);
  pipeline.exclusive = findExclusive(pipeline.stages);
  return pipeline;
}

/// Reads the straight-line pipeline that begins with `first`.
static FailureOr<WarpPipeline> readLine(hk::StageOp first) {
  WarpPipeline pipeline;
  pipeline.lags = lagsOf(first, first.getPhaseGap().value_or(1));
  Operation *wait = nullptr;
  for (Operation *op = first; op; op = op->getNextNode()) {
    if (auto stage = dyn_cast<hk::StageOp>(op)) {
      if (stage != first && stage.getPhaseGap())
        break;
      pipeline.stages.push_back(stage);
      pipeline.waits.push_back(std::exchange(wait, nullptr));
    } else if (isPipelineWait(op)) {
      // The pipeline ends before the second of two consecutive waits, because this wait may belong to the code after
      // the pipeline.
      if (wait)
        break;
      wait = op;
    } else if (!leavesWarpsAlone(op)) {
      break;
    }
  }
  if (pipeline.numStages() < 2)
    return first.emitError("a warp pipeline needs at least two stages"), failure();
  pipeline.exclusive = findExclusive(pipeline.stages);
  return pipeline;
}

FailureOr<SmallVector<WarpPipeline>> findWarpPipelines(Operation *function) {
  SmallVector<WarpPipeline> pipelines;
  auto add = [&](FailureOr<WarpPipeline> pipeline) {
    if (failed(pipeline))
      return WalkResult::interrupt();
    pipelines.push_back(std::move(*pipeline));
    return WalkResult::advance();
  };
  WalkResult result = function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && hk::kPipelinedAttr.isOn(loop))
      return add(readLoop(loop));
    auto stage = dyn_cast<hk::StageOp>(op);
    bool isInLoop = op->getParentOp() && hk::kPipelinedAttr.isOn(op->getParentOp());
    bool isKnown = stage && !pipelines.empty() && llvm::is_contained(pipelines.back().stages, stage);
    if (!stage || isInLoop || isKnown)
      return WalkResult::advance();
    return add(readLine(stage));
  });
  if (result.wasInterrupted())
    return failure();
  return pipelines;
}

} // namespace hocket
