//===- WarpPipelinePlan.cpp - What WarpPipelineLowering is going to do ------------===//
#include "transforms/warp_pipeline/WarpPipelinePlan.h"

#include "dialect/hk/ModuleFacts.h"
#include "dialect/hk/Scratch.h"

using namespace mlir;

namespace hocket {

static constexpr int kPipelinedWarps = 2 * hk::HkDialect::kWarpsPerGroup;

bool WarpPipelinePlan::hasPriorities() const {
  return llvm::any_of(pipeline.stages, [](hk::StageOp stage) { return stage.getPriority().has_value(); });
}

/// What makes the phase shift possible at all. The partition has checked it in the user's words.
static LogicalResult checkMachine(const WarpPipeline &pipeline) {
  hk::StageOp first = pipeline.stages.front();
  if (hk::targetOf(first).vendor != Vendor::Amd)
    return first.emitError("warp pipelines need an AMD GPU");
  if (hk::numWarpsAt(first) != kPipelinedWarps)
    return first.emitError("a warp pipeline needs ") << kPipelinedWarps << " warps";
  return success();
}

/// Stages in which all warps would have to wait for each other.
static LogicalResult checkStages(const WarpPipeline &pipeline) {
  for (hk::StageOp stage : pipeline.stages) {
    WalkResult result = stage.getBody().walk([](Operation *op) {
      bool waits = isPipelineWait(op) || hk::getScratchBytes(op) > 0;
      if (waits)
        op->emitError("all warps would have to wait for each other inside this stage of a warp pipeline");
      return waits ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

/// Of the hazards that no fence settles, the first with a read: it says more than one between two writes.
static const AccessHazard &worstOf(ArrayRef<AccessHazard> hazards, unsigned lag) {
  auto isRace = [&](const AccessHazard &hazard) { return !hazard.inSchedule.canBeSettled(lag); };
  auto isReadRace = [&](const AccessHazard &hazard) { return isRace(hazard) && !hazard.later->writes(); };
  auto found = llvm::find_if(hazards, isReadRace);
  return found != hazards.end() ? *found : *llvm::find_if(hazards, isRace);
}

static LogicalResult checkEntry(const WarpPipeline &pipeline, ArrayRef<EntryHazard> hazards) {
  auto isRace = [&](const EntryHazard &hazard) { return !hazard.inSchedule.canBeSettled(pipeline.lag); };
  auto first = llvm::find_if(hazards, isRace);
  if (first == hazards.end())
    return success();
  // The youngest of the copies says how many groups a wait in front of the pipeline may leave.
  unsigned age = first->inFlight.age;
  for (const EntryHazard &hazard : hazards)
    if (isRace(hazard))
      age = std::min(age, hazard.inFlight.age);
  return reportEntryRace(pipeline, *first, age);
}

/// Decides the fences.
static LogicalResult planFences(WarpPipelinePlan &plan) {
  const WarpPipeline &pipeline = plan.pipeline;
  StageSchedule schedule{pipeline.numStages(), pipeline.lag, bool(pipeline.loop), {}};
  for (Operation *wait : pipeline.waits)
    schedule.fenced.push_back(isa_and_nonnull<hk::BarrierOp>(wait));

  std::vector<StageHazard> hazards, globalHazards;
  auto add = [&](bool isGlobal, const StageHazard &hazard) { (isGlobal ? globalHazards : hazards).push_back(hazard); };
  for (const AccessHazard &hazard : plan.hazards->getHazards())
    add(hazard.isGlobal(), hazard.inSchedule);
  if (findUnsettled(schedule, hazards) || findUnsettled(schedule, globalHazards))
    return reportPipelineRace(pipeline, *plan.hazards, worstOf(plan.hazards->getHazards(), pipeline.lag));
  if (failed(checkEntry(pipeline, plan.entry->getHazards())))
    return failure();
  for (const EntryHazard &hazard : plan.entry->getHazards())
    add(hazard.copy->isGlobal(), hazard.inSchedule);
  // Fences that order global memory, too, cost more: the fewest of these first, then of the others.
  for (unsigned slot : chooseFences(schedule, globalHazards))
    schedule.fenced[slot] = true;
  plan.globalFenced = schedule.fenced;
  for (unsigned slot : chooseFences(schedule, hazards))
    schedule.fenced[slot] = true;
  plan.fenced = schedule.fenced;
  return success();
}

static FailureOr<WarpPipelinePlan> planPipeline(WarpPipeline found, const SharedAliases &aliases,
                                                ArrayRef<CopyInFlight> inFlight) {
  WarpPipelinePlan plan{
      .pipeline = std::move(found), .hazards = nullptr, .entry = nullptr, .fenced = {}, .globalFenced = {}};
  const WarpPipeline &pipeline = plan.pipeline;
  if (failed(checkMachine(pipeline)) || failed(checkStages(pipeline)))
    return failure();
  plan.hazards = std::make_unique<StageHazards>(pipeline, aliases);
  plan.entry = std::make_unique<PipelineEntry>(pipeline, inFlight, *plan.hazards, aliases);
  if (failed(planFences(plan)))
    return failure();
  return plan;
}

/// Do stages of `first`, and later ones of `second`, exchange something through global memory?
static bool exchangeGlobally(const WarpPipelinePlan &first, const WarpPipelinePlan &second) {
  for (const std::unique_ptr<StageAccess> &earlier : first.hazards->getAccesses())
    for (const std::unique_ptr<StageAccess> &later : second.hazards->getAccesses())
      if (earlier->isGlobal() && StageHazards::areHazard(*earlier, *later))
        return true;
  return false;
}

/// Is one of the operations around it a loop, which brings control back?
static bool isInLoop(const WarpPipeline &pipeline) {
  return bool(pipeline.firstOp()->getParentOfType<LoopLikeOpInterface>());
}

static void planBeginnings(MutableArrayRef<WarpPipelinePlan> plans) {
  for (auto [index, plan] : llvm::enumerate(plans)) {
    bool comesAgain = isInLoop(plan.pipeline);
    for (const WarpPipelinePlan &other : comesAgain ? plans : plans.take_front(index))
      plan.beginsWithGlobalFence |= exchangeGlobally(other, plan);
  }
}

FailureOr<SmallVector<WarpPipelinePlan, 0>> planWarpPipelines(Operation *function) {
  FailureOr<SmallVector<WarpPipeline>> pipelines = findWarpPipelines(function);
  if (failed(pipelines))
    return failure();
  SmallVector<WarpPipelinePlan, 0> plans;
  if (pipelines->empty())
    return plans;
  SharedAliases aliases(function);
  CopiesInFlight inFlight(function, *pipelines);
  for (WarpPipeline &pipeline : *pipelines) {
    SmallVector<CopyInFlight> copies = inFlight.before(pipeline);
    FailureOr<WarpPipelinePlan> plan = planPipeline(std::move(pipeline), aliases, copies);
    if (failed(plan))
      return failure();
    plans.push_back(std::move(*plan));
  }
  planJoints(plans);
  planBeginnings(plans);
  return plans;
}

} // namespace hocket
