//===- WarpPipelinePartition.cpp - Outlines marked stages of warp pipelines into regions -===//
//
//     scf.for ... iter_args(%acc) {               scf.for ... iter_args(%acc) {
//       %slot = arith.remsi %i, %c3                 %v = hk.stage "load" -> tensor {
//       stage_begin "load"                            %slot = arith.remsi %i, %c3
//       %v = hk.local_load ...                        %x = hk.local_load ...
//       stage_end                          =>         hk.stage_yield %x
//       hk.async_wait_group                         }
//       stage_begin "compute"                       hk.async_wait_group
//       %r = hk_amd.mfma ..., %acc                  %r = hk.stage "compute" -> tensor { ... }
//       stage_end                                   scf.yield %r
//       scf.yield %r                              } {hk.pipelined = 1 : i32}
//     }
//
// Input:   canonical hk with markers, without pairs of layout conversions that cancel each other.
// Output:  hk with hk.stage and hk.pipelined instead of markers. A function without markers is unchanged.
// Method:  1. Draft: read the markers of each block (WarpPipelineDraft).
//          2. Check all pipelines of the function (WarpPipelineChecks). The following steps cannot fail.
//          3. Move the scalar operations of a gap into the stage after the gap, because a separate stage would take
//             additional time. Scalar operations at the bottom of a loop move into the last stage. Empty stages are
//             kept.
//          4. Values that are used outside of their stage become results of the hk.stage. Loop-carried values are
//             visible inside stages.
//          Scalar operations can move across waits, because they have no effects. All warps run the same number of
//          iterations, because scalars are the same in all warps. The checks reject loops whose bounds possibly differ
//          between warps (WarpUniformity.h).
// Not done: warp pipelines in `while` loops; the pass does not choose the stages itself.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/Passes.h"
#include "transforms/warp_pipeline/WarpPipelineChecks.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_WARPPIPELINEPARTITION
#include "transforms/Passes.h.inc"

/// Returns the results of `ops`, operations of one basic block, that operations outside of `ops` use.
static SmallVector<Value> usedOutside(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  Block *block = ops.empty() ? nullptr : ops.front()->getBlock();
  SmallVector<Value> used;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !inside.contains(block->findAncestorOpInBlock(*user)); }))
        used.push_back(result);
  return used;
}

/// Moves `ops` into an hk.stage with index `index`, which replaces the markers of `stage`.
static void buildStage(const DraftStage &stage, ArrayRef<Operation *> ops, size_t index, IntegerAttr phaseGap) {
  OpBuilder builder(stage.begin);
  hk::StageBeginOp begin = stage.begin;
  std::string label = begin.getLabel().empty() ? "stage " + std::to_string(index + 1) : begin.getLabel().str();
  SmallVector<Value> used = usedOutside(ops);
  auto made = hk::StageOp::create(builder, begin.getLoc(), ValueRange(used).getTypes(), label, begin.getPriorityAttr(),
                                  phaseGap, begin.getExclusive());
  if (DenseI32ArrayAttr lags = hk::kGroupLagsAttr.getAttr(begin); lags && index == 0)
    hk::kGroupLagsAttr.setAttr(made, lags);
  Block *body = builder.createBlock(&made.getBody());
  auto yield = hk::StageYieldOp::create(builder, stage.end->getLoc(), used);
  for (Operation *op : ops)
    op->moveBefore(yield);
  for (auto [value, result] : llvm::zip_equal(used, made.getResults()))
    value.replaceUsesWithIf(result, [&](OpOperand &use) { return !body->findAncestorOpInBlock(*use.getOwner()); });
  stage.begin->erase();
  stage.end->erase();
}

static void buildPipeline(const PipelineDraft &draft) {
  // The phase_gap is read before the markers are erased.
  IntegerAttr phaseGap = Builder(draft.firstBegin().getContext()).getI32IntegerAttr(draft.phaseGap());
  for (auto [index, stage] : llvm::enumerate(draft.stages)) {
    SmallVector<Operation *> ops(draft.gaps[index].scalars);
    ops.append(stage.body);
    if (index + 1 == draft.stages.size())
      ops.append(draft.gaps.back().scalars);
    // The first stage of a straight-line pipeline gets the attribute phase_gap.
    buildStage(stage, ops, index, index == 0 && !draft.loop ? phaseGap : IntegerAttr());
  }
  if (scf::ForOp loop = draft.loop)
    hk::kPipelinedAttr.setAttr(loop, phaseGap);
}

/// Outlines the stages of `function`; returns true if `function` has warp pipelines.
static FailureOr<bool> partitionWarpPipelines(func::FuncOp function) {
  FailureOr<SmallVector<PipelineDraft>> drafts = draftPipelines(function);
  if (failed(drafts))
    return failure();
  if (drafts->empty())
    return false;
  WarpUniformity uniformity(function);
  for (const PipelineDraft &draft : *drafts)
    if (failed(checkPipeline(draft, uniformity)))
      return failure();
  for (const PipelineDraft &draft : *drafts)
    buildPipeline(draft);
  return true;
}

namespace {
struct WarpPipelinePartitionPass : impl::WarpPipelinePartitionBase<WarpPipelinePartitionPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())))
      return signalPassFailure();
    bool isChanged = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      FailureOr<bool> isPartitioned = partitionWarpPipelines(function);
      if (failed(isPartitioned))
        return signalPassFailure();
      isChanged |= *isPartitioned;
    }
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace hocket
