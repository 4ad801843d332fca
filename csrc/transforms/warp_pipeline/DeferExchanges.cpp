//===- DeferExchanges.cpp - Divides exchanges between warps over two stages of a warp pipeline -===//
//
// A reduction over several warps, a layout conversion or a gather through shared memory is an *exchange*: warps write
// scratch memory, wait for each other, and read. Inside a stage, warps cannot wait for each other. If the first use of
// the result is in a later stage, no wait is needed, because the slots between the two stages are barriers:
//
//     stage_begin "max"                            stage_begin "max"
//     %m = hk.reduce %x axis = 1                   %p = hk.reduce %x' axis = 2        within each warp
//     stage_end                                    hk.local_store %p, %tile[%i]
//     stage_begin "exp"                 =>         stage_end
//     %e = arith.subf %x, %m                       stage_begin "exp"
//     stage_end                                    %q = hk.local_load %tile[%i]
//                                                  %m = hk.reduce %q axis = 1         in registers
//                                                  %e = arith.subf %x, %m
//                                                  stage_end
//
// Input:   hk with markers of stages.
// Output:  hk with markers, in which exchanges of stages are stores to and loads from tiles in shared memory.
//          WarpPipelineLowering selects fences for hazards of these stores and loads, or reports a race.
// Method:  1. Find the first use of the result. Views, and scalar arithmetic without effects, are not uses: they move
//             to the stage that loads the result.
//          2. Find the warps that exchange values (WarpExchange.h). If values pass between groups, the distance in
//             stages from the write to the read must exceed the difference of the groups' lags. If values pass within
//             groups only, a distance of 1 is enough (StageFences.h, PingPongHazards.h).
//          3. Select the smallest number of slots of the tile for which enough stages lie between the read of a slot
//             and its next write. In straight-line pipelines, one slot is enough.
//          4. If only the next iteration uses the result, and the distance from the write to every later stage of this
//             iteration is too small, the next iteration loads the result. In the first iteration, the loop-carried
//             variable keeps its initial value.
//          A reduction over warps becomes two reductions (AxisParts.h): within each warp before the store, and in
//          registers after the load.
// Not done: exchanges inside branches of a stage, scans, histograms, old values of atomics, tensors of pointers, and
//          exchanges in clusters: WarpPipelinePartition rejects such operations. If several groups hold copies of an
//          element, values count as passing between these groups.
//
//===------------------------------------------------------------------------------===//
#include "analysis/warp_pipeline/WarpPipelines.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Scratch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/Passes.h"
#include "transforms/warp_pipeline/ExchangeDivider.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_DEFEREXCHANGES
#include "transforms/Passes.h.inc"

/// True if the pipeline has the form that this pass expects. For other pipelines, WarpPipelinePartition reports errors.
static bool isWellFormed(const PipelineDraft &draft) { return draft.numGroups() > 0 && draft.hasEnoughStages(); }

/// Divides each exchange in the stages of `draft` into a store and a later load, if ExchangeHalves::canDivide returns
/// true for the exchange. Returns true if `draft` is well-formed and has such exchanges.
static FailureOr<bool> deferExchanges(PipelineDraft &draft) {
  SmallVector<std::pair<Operation *, unsigned>> exchanges;
  for (auto [index, stage] : llvm::enumerate(draft.stages))
    for (Operation *op : stage.body)
      if (hk::getScratchBytes(op) > 0 && ExchangeHalves::canDivide(op))
        exchanges.push_back({op, unsigned(index)});
  if (exchanges.empty() || !isWellFormed(draft))
    return false;
  ExchangeDivider divider(draft);
  for (auto [op, stage] : exchanges)
    if (failed(divider.divide(op, stage)))
      return failure();
  return true;
}

namespace {
struct DeferExchangesPass : impl::DeferExchangesBase<DeferExchangesPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())))
      return signalPassFailure();
    if (hk::numCtasOf(getOperation()) > 1)
      return markAllAnalysesPreserved();
    bool isChanged = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      FailureOr<SmallVector<PipelineDraft>> drafts = draftPipelines(function);
      if (failed(drafts))
        return signalPassFailure();
      for (PipelineDraft &draft : *drafts) {
        FailureOr<bool> hasExchanges = deferExchanges(draft);
        if (failed(hasExchanges))
          return signalPassFailure();
        isChanged |= *hasExchanges;
      }
    }
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace hocket
