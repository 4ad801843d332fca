//===- WarpPipelineLowering.cpp - Lowers the stages of warp pipelines to barriers --===//
//
// The groups of warps of a warp pipeline run the same code. With two groups, an additional barrier at which only the
// high group waits delays the high group by one stage. The additional barrier pairs with the barrier of the low group
// after its first stage. At the end, the low group has an additional barrier.
//
//     hk.barrier local                          orders earlier accesses; left out directly after another barrier
//     hk.group_barrier high                     the high group waits until the low group has run stage 0
//     hk.set_priority 1                         priority of stage 0
//     scf.for {
//       ... stage 0 ...
//       hk.set_priority 0                       slot 1: the priority of stage 1,
//       hk.sched_barrier                          no instructions are scheduled across it,
//       hk.slot_barrier                           one barrier (hk.barrier local, if it must be a fence),
//       hk.sched_barrier stage "compute"
//       ... stage 1 ...
//       hk.set_priority 1                       slot 0, for the next iteration
//       hk.sched_barrier
//       hk.barrier local
//       hk.sched_barrier stage "load"
//     }
//     hk.set_priority 0
//     hk.group_barrier low                      the low group waits for high
//
// The drawing shows the form for targets whose barriers do not order memory accesses. If barriers order memory accesses
// (TargetInfo::barriersOrderMemory), each slot is an hk.slot_barrier. If the hardware has named barriers, the barriers
// of the pipeline have a `number`. Pipelines with exclusive stages have hk.begin_exclusive and hk.end_exclusive around
// these stages instead of slots.
//
// Input:   hk with allocated shared memory and with the hk.stage regions that hocket-warp-pipeline-partition creates.
// Output:  hk without stages. Operations of stages that access shared memory have the attribute hk.ordered, which means
//          that they need no further barriers.
// Method:  1. Plan, without changing the IR (WarpPipelinePlan). Find the hazards between stages (StageHazards), and the
//             hazards with copies that are in flight at the beginning of the pipeline (PipelineEntry). Choose the
//             minimum number of slots that are fences (StageFences), and the consecutive pipelines to join
//             (WarpPipelineBoundaries). A race that no fence prevents is an error (WarpPipelineErrors). The following
//             step cannot fail.
//          2. For each pipeline: create the slots, replace the stages by their operations, then create the operations
//             before and after the pipeline. Each slot becomes one hardware barrier, even if the kernel has no wait
//             between the two stages.
// Groups:  let m be the largest lag of a group. The lowering creates m hk.group_barrier operations before the pipeline
//          and m after it. A group with lag g executes g of the operations before and m - g of those after the
//          pipeline. In between, all groups execute the same slots. All groups therefore execute the same number of
//          barriers, even if a loop has no iterations.
// Priorities: if any stage has a priority, stages without a priority get 0, and 0 is restored at the end. If no stage
//          has a priority, no priorities are set.
// Reads:   the barrier after a stage with reads possibly does not wait for memory accesses. If the barrier does not
//          wait, a warp waits once for all its reads after the barrier (finish_reads).
// Order within a stage: hk.sched_barrier {allow = 1} is inserted between accesses of memory. Without
//          hk.sched_barrier, the back end would start the copies of the next tile before the reads for which the matrix
//          cores wait. VALU and MFMA instructions can cross the hk.sched_barrier.
// Global memory: a slot is an hk.barrier instead of an hk.barrier local only if stages exchange values through global
//          memory, because an hk.barrier also waits for loads that should stay in flight.
// Proxies: if the stores of a stage are read through the async proxy, the stage ends with hk.proxy_fence.
// Cost:    quadratic in the number of accesses of a pipeline, which is about ten.
//
//===------------------------------------------------------------------------------===//
#include "analysis/memory/MemoryAliases.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/Passes.h"
#include "transforms/warp_pipeline/WarpPipelinePlan.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_WARPPIPELINELOWERING
#include "transforms/Passes.h.inc"

/// Bit of the attribute `allow` of hk.sched_barrier: operations without memory accesses and side effects can cross.
static constexpr int32_t kAllowArithmetic = 1;

// Barriers ------------------------------------------------------------------------------------------------------------

/// The accesses that the barrier of a slot must order.
namespace {
enum class Fence : uint8_t { None, Shared, Global };
} // namespace

static IntegerAttr numberOf(OpBuilder &builder, const WarpPipeline &pipeline) {
  return pipeline.namedBarrier ? builder.getI32IntegerAttr(*pipeline.namedBarrier) : IntegerAttr();
}

/// Creates a barrier for all groups. If `finishesReads`, each warp waits once for all its earlier reads, not at each
/// use.
static void createSlotBarrier(OpBuilder &builder, Location loc, const WarpPipeline &pipeline, Fence fence,
                              bool finishesReads) {
  bool ordersAll = hk::targetOf(pipeline.firstOp()).barriersOrderMemory;
  if (fence == Fence::None || ordersAll)
    hk::SlotBarrierOp::create(builder, loc, finishesReads && !ordersAll, numberOf(builder, pipeline));
  else
    hk::BarrierOp::create(builder, loc, /*local=*/fence == Fence::Shared);
}

/// Creates a barrier at which the groups wait whose lag is at most `lag`, if `group` is low, or the other groups.
static void createGroupBarrier(OpBuilder &builder, Location loc, const WarpPipeline &pipeline, hk::WarpGroup group,
                               unsigned lag) {
  auto barrier = hk::GroupBarrierOp::create(builder, loc, group, numberOf(builder, pipeline));
  if (int64_t lowGroups = llvm::upper_bound(pipeline.lags, lag) - pipeline.lags.begin(); lowGroups > 1)
    hk::kLowGroupsAttr.set(barrier, lowGroups);
}

static hk::WarpGroupAttr attrOf(OpBuilder &builder, hk::WarpGroup group) {
  return hk::WarpGroupAttr::get(builder.getContext(), group);
}

/// Creates the barriers before a pipeline that make the other groups lag behind group 0. Group g waits at lags[g] of
/// them.
static void createLag(OpBuilder &builder, Location loc, const WarpPipeline &pipeline) {
  if (pipeline.isPingPong())
    hk::EndExclusiveOp::create(builder, loc, attrOf(builder, hk::WarpGroup::High), *pipeline.namedBarrier);
  else
    for (unsigned lag = 0; lag < pipeline.maxLag(); ++lag)
      createGroupBarrier(builder, loc, pipeline, hk::WarpGroup::High, lag);
}

/// Creates the barriers after a pipeline at which the other groups wait for the last group. Group g waits at
/// maxLag - lags[g] of them.
static void createEndOfLag(OpBuilder &builder, Location loc, const WarpPipeline &pipeline) {
  if (pipeline.isPingPong())
    hk::BeginExclusiveOp::create(builder, loc, attrOf(builder, hk::WarpGroup::Low), *pipeline.namedBarrier);
  else
    for (unsigned lag = pipeline.maxLag(); lag > 0; --lag)
      createGroupBarrier(builder, loc, pipeline, hk::WarpGroup::Low, lag - 1);
}

// Slots ---------------------------------------------------------------------------------------------------------------

static void createSchedBarrier(OpBuilder &builder, Location loc, std::optional<StringRef> stage = {}) {
  auto barrier = hk::SchedBarrierOp::create(builder, loc);
  if (stage)
    barrier.setStage(*stage);
}

static void createPriority(OpBuilder &builder, const WarpPipelinePlan &plan, hk::StageOp stage) {
  if (plan.hasPriorities())
    hk::SetPriorityOp::create(builder, stage.getLoc(), stage.getPriority().value_or(0));
}

/// True if `before` reads shared memory, so that warps wait once for these reads at the beginning of the next stage.
static bool readsShared(hk::StageOp before) {
  return before.getBody().walk([](hk::LocalLoadOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Returns the accesses that the barrier of slot `slot` must order.
static Fence fenceAt(const WarpPipelinePlan &plan, unsigned slot) {
  return plan.globalFenced[slot] ? Fence::Global : plan.fenced[slot] ? Fence::Shared : Fence::None;
}

/// Creates the barrier between the stages `before` and `stage`, around `wait`; `before` and `wait` may be null.
static void createSlot(OpBuilder &builder, const WarpPipeline &pipeline, hk::StageOp before, hk::StageOp stage,
                       Operation *wait, Fence fence) {
  Location loc = stage.getLoc();
  createSchedBarrier(builder, loc);
  bool isBarrier = isa_and_nonnull<hk::BarrierOp>(wait);
  if (wait)
    wait->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
  // If the user has written a barrier between the two stages, it is the barrier of the slot, unless slots need a named
  // barrier.
  if (!isBarrier || pipeline.namedBarrier)
    createSlotBarrier(builder, wait ? wait->getLoc() : loc, pipeline, fence, before && readsShared(before));
  if (isBarrier && pipeline.namedBarrier)
    wait->erase();
  createSchedBarrier(builder, loc, stage.getLabel());
}

static void createSlots(const WarpPipelinePlan &plan) {
  const WarpPipeline &pipeline = plan.pipeline;
  for (unsigned slot = pipeline.loop ? 0 : 1; slot < pipeline.numStages(); ++slot) {
    hk::StageOp stage = pipeline.stages[slot];
    OpBuilder builder(stage);
    if (slot == 0 && !pipeline.isSlotZeroAtTop)
      builder.setInsertionPoint(scf::ForOp(pipeline.loop).getBody()->getTerminator());
    createPriority(builder, plan, stage);
    hk::StageOp before = pipeline.stages[(slot + pipeline.numStages() - 1) % pipeline.numStages()];
    createSlot(builder, pipeline, before, stage, pipeline.waits[slot], fenceAt(plan, slot));
  }
}

/// Creates the barriers of pipelines with exclusive stages, which replace slots.
static void createExclusiveSections(const WarpPipelinePlan &plan) {
  for (hk::StageOp stage : plan.pipeline.stages) {
    OpBuilder builder(stage);
    createSchedBarrier(builder, stage.getLoc());
    if (stage.getExclusive())
      hk::BeginExclusiveOp::create(builder, stage.getLoc(), hk::WarpGroupAttr(), *plan.pipeline.namedBarrier);
    createSchedBarrier(builder, stage.getLoc(), stage.getLabel());
    builder.setInsertionPointAfter(stage);
    if (stage.getExclusive())
      hk::EndExclusiveOp::create(builder, stage.getLoc(), hk::WarpGroupAttr(), *plan.pipeline.namedBarrier);
  }
}

// Stages --------------------------------------------------------------------------------------------------------------

static bool accessesMemory(Operation &op) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  return memory && op.getNumRegions() == 0 && !memory.hasNoEffect();
}

/// Replaces `stage` by its operations.
static void inlineStage(hk::StageOp stage) {
  Block &body = stage.getBody().front();
  bool isFirst = true;
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (!accessesMemory(op))
      continue;
    if (!std::exchange(isFirst, false)) {
      OpBuilder builder(&op);
      hk::SchedBarrierOp::create(builder, op.getLoc(), kAllowArithmetic);
    }
  }
  stage->replaceAllUsesWith(body.getTerminator()->getOperands());
  Block::OpListType &operations = stage->getBlock()->getOperations();
  operations.splice(Block::iterator(stage), body.getOperations(), body.begin(), std::prev(body.end()));
  stage->erase();
}

// Around the pipeline -------------------------------------------------------------------------------------------------

/// True if a barrier precedes `first`, with only operations without effects in between. If `isGlobal`, a `local`
/// barrier does not count.
static bool isBehindBarrier(Operation *first, bool isGlobal) {
  Operation *op = first->getPrevNode();
  while (op && leavesWarpsAlone(op))
    op = op->getPrevNode();
  auto barrier = dyn_cast_or_null<hk::BarrierOp>(op);
  return barrier && !(isGlobal && barrier.getLocal());
}

/// Creates the operations before `first`, the pipeline's first operation.
static void createPrelude(const WarpPipelinePlan &plan, Operation *first) {
  OpBuilder builder(first);
  Location loc = first->getLoc();
  hk::StageOp stage = plan.pipeline.stages.front();
  if (plan.boundary == PipelineBoundary::Apart) {
    if (!isBehindBarrier(first, plan.beginsWithGlobalFence))
      hk::BarrierOp::create(builder, loc, /*local=*/!plan.beginsWithGlobalFence);
    createLag(builder, loc, plan.pipeline);
  }
  // If slot 0 is at the top of the loop, slot 0 sets the priority of stage 0.
  if (!plan.pipeline.isSlotZeroAtTop)
    createPriority(builder, plan, stage);
  if (plan.boundary == PipelineBoundary::Barrier || plan.boundary == PipelineBoundary::Fence)
    createSlot(builder, plan.pipeline, {}, stage, nullptr,
               plan.boundary == PipelineBoundary::Fence ? Fence::Shared : Fence::None);
  else if (!plan.pipeline.isSlotZeroAtTop)
    createSchedBarrier(builder, stage.getLoc(), stage.getLabel());
}

/// Creates the operations after `last`, the pipeline's last operation. `next` is the pipeline that is joined to this
/// pipeline; null if there is none.
static void createPostlude(const WarpPipelinePlan &plan, Operation *last, const WarpPipelinePlan *next) {
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  Location loc = last->getLoc();
  if (plan.hasPriorities() && !(next && next->hasPriorities()))
    hk::SetPriorityOp::create(builder, loc, 0);
  if (next)
    return;
  createSchedBarrier(builder, loc, StringRef());
  createEndOfLag(builder, loc, plan.pipeline);
}

static void markOrdered(const WarpPipelinePlan &plan) {
  for (const std::unique_ptr<StageAccess> &access : plan.hazards->getAccesses())
    if (!access->isGlobal())
      hk::kOrderedAttr.set(access->op);
}

static void createProxyFences(const WarpPipelinePlan &plan) {
  for (auto [stage, shows] : llvm::zip_equal(plan.pipeline.stages, plan.showsStores)) {
    if (!shows)
      continue;
    Operation *yield = hk::StageOp(stage).getBody().front().getTerminator();
    OpBuilder builder(yield);
    hk::ProxyFenceOp::create(builder, yield->getLoc());
  }
}

static void lowerPipeline(const WarpPipelinePlan &plan, const WarpPipelinePlan *next) {
  markOrdered(plan);
  createProxyFences(plan);
  createPrelude(plan, plan.pipeline.firstOp());
  createPostlude(plan, plan.pipeline.lastOp(), next);
  if (plan.pipeline.isPingPong())
    createExclusiveSections(plan);
  else
    createSlots(plan);
  for (hk::StageOp stage : plan.pipeline.stages)
    inlineStage(stage);
  if (plan.pipeline.loop)
    hk::kPipelinedAttr.remove(plan.pipeline.firstOp());
}

namespace {
struct WarpPipelineLoweringPass : impl::WarpPipelineLoweringBase<WarpPipelineLoweringPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())) || failed(requireKnownOrigins(getOperation())) ||
        failed(requirePlaced(getOperation())))
      return signalPassFailure();
    bool isChanged = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto plans = planWarpPipelines(function);
      if (failed(plans))
        return signalPassFailure();
      isChanged |= !plans->empty();
      for (size_t i = 0; i < plans->size(); ++i) {
        bool isJoined = i + 1 < plans->size() && (*plans)[i + 1].boundary != PipelineBoundary::Apart;
        lowerPipeline((*plans)[i], isJoined ? &(*plans)[i + 1] : nullptr);
      }
    }
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace hocket
