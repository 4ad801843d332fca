//===- WarpPipelinePlan.cpp - Plans the lowering of warp pipelines ----------------===//
#include "transforms/warp_pipeline/WarpPipelinePlan.h"

#include "analysis/NamedBarriers.h"
#include "analysis/warp_pipeline/PingPongHazards.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Scratch.h"
#include "target/Features.h"

using namespace mlir;

namespace hocket {

static bool requestsPriorities(const WarpPipeline &pipeline) {
  return llvm::any_of(pipeline.stages, [](hk::StageOp stage) { return stage.getPriority().has_value(); });
}

bool WarpPipelinePlan::hasPriorities() const {
  return requestsPriorities(pipeline) && hk::targetOf(pipeline.firstOp()).hasWarpPriorities;
}

/// Checks that the kernel has the number of warps that a warp pipeline requires. In buildTilePipeline,
/// WarpPipelinePartition has already checked the same condition, with a better message.
static LogicalResult checkMachine(const WarpPipeline &pipeline) {
  hk::StageOp first = pipeline.stages.front();
  unsigned groups = countGroups(hk::numWarpsAt(first));
  if (groups == 0)
    return first.emitError("a warp pipeline needs ") << kPipelineWarps << " warps";
  if (pipeline.numGroups() != groups)
    return first.emitError() << "has lags of " << pipeline.numGroups() << " groups of warps, but runs in " << groups;
  return success();
}

/// If the hardware has named barriers, assigns one named barrier to the pipelines of each partition, or one for each
/// group if a pipeline has exclusive stages. Pipelines of one partition can share a named barrier: at the end of each
/// pipeline, all groups have passed the barrier the same number of times.
static LogicalResult chooseBarriers(Operation *function, MutableArrayRef<WarpPipeline> pipelines) {
  if (!kNamedBarriers.isOn(hk::targetOf(function)))
    return success();
  auto partitionOf = [](const WarpPipeline &pipeline) -> Operation * {
    return hk::StageOp(pipeline.stages.front())->getParentOfType<hk::WorkerOp>();
  };
  NamedBarriers others(function);
  int next = others.firstFree();
  llvm::SmallDenseMap<Operation *, int> barriers;
  for (WarpPipeline &pipeline : pipelines) {
    Operation *partition = partitionOf(pipeline);
    auto [known, isNew] = barriers.try_emplace(partition, next);
    auto isPingPong = [&](const WarpPipeline &other) { return partitionOf(other) == partition && other.isPingPong(); };
    if (isNew)
      next += llvm::any_of(pipelines, isPingPong) ? int(pipeline.numGroups()) : 1;
    pipeline.namedBarrier = known->second;
    if (next <= others.total)
      continue;
    hk::StageOp first = pipeline.stages.front();
    InFlightDiagnostic error = first.emitError() << "no barrier is left for this warp pipeline: " << others.describe();
    error.attachNote() << "hint: use fewer workers" << (others.uses.empty() ? "" : ", or fewer named barriers");
    return failure();
  }
  return success();
}

static void remarkPriorities(const WarpPipeline &pipeline) {
  hk::StageOp first = pipeline.stages.front();
  const TargetInfo &target = hk::targetOf(first);
  if (requestsPriorities(pipeline) && !target.hasWarpPriorities)
    first.emitRemark("priorities have no effect here: warps of ") << StringRef(target.name) << " have none";
}

/// Rejects stages that contain an operation at which all warps wait for each other.
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

/// Selects the hazard to report among the hazards that no fence prevents: the first hazard with a read, which users
/// understand more easily than a hazard between two writes.
static const AccessHazard &worstOf(ArrayRef<AccessHazard> hazards) {
  auto isRace = [](const AccessHazard &hazard) { return !hazard.inSchedule.canBeSettled(); };
  auto isReadRace = [&](const AccessHazard &hazard) { return isRace(hazard) && !hazard.later->writes(); };
  auto found = llvm::find_if(hazards, isReadRace);
  return found != hazards.end() ? *found : *llvm::find_if(hazards, isRace);
}

static LogicalResult checkEntry(const WarpPipeline &pipeline, ArrayRef<EntryHazard> hazards) {
  auto isRace = [](const EntryHazard &hazard) { return !hazard.inSchedule.canBeSettled(); };
  auto first = llvm::find_if(hazards, isRace);
  if (first == hazards.end())
    return success();
  // A wait before the pipeline must complete the newest copy that races with an access of the stages.
  unsigned age = first->inFlight.age;
  for (const EntryHazard &hazard : hazards)
    if (isRace(hazard))
      age = std::min(age, hazard.inFlight.age);
  return reportEntryRace(pipeline, *first, age);
}

/// Checks the hazards of a pipeline with exclusive stages.
static LogicalResult checkPingPong(const WarpPipelinePlan &plan) {
  const WarpPipeline &pipeline = plan.pipeline;
  for (const AccessHazard &hazard : plan.hazards->getHazards())
    if (!isSettledByPingPong(pipeline.exclusive, hazard.inSchedule))
      return reportPingPongRace(pipeline, hazard);
  for (const EntryHazard &hazard : plan.entry->getHazards())
    if (!isSettledByPingPong(pipeline.exclusive, hazard.inSchedule))
      return reportEntryRace(pipeline, hazard, hazard.inFlight.age);
  return success();
}

/// Decides which slots are fences.
static LogicalResult planFences(WarpPipelinePlan &plan) {
  const WarpPipeline &pipeline = plan.pipeline;
  if (pipeline.isPingPong())
    return checkPingPong(plan);
  StageSchedule schedule{pipeline.numStages(), bool(pipeline.loop), {}};
  for (Operation *wait : pipeline.waits)
    schedule.fenced.push_back(isa_and_nonnull<hk::BarrierOp>(wait));

  std::vector<StageHazard> hazards, globalHazards;
  auto add = [&](bool isGlobal, const StageHazard &hazard) { (isGlobal ? globalHazards : hazards).push_back(hazard); };
  for (const AccessHazard &hazard : plan.hazards->getHazards())
    add(hazard.isGlobal(), hazard.inSchedule);
  if (findUnsettled(hazards) || findUnsettled(globalHazards))
    return reportPipelineRace(pipeline, *plan.hazards, worstOf(plan.hazards->getHazards()));
  if (failed(checkEntry(pipeline, plan.entry->getHazards())))
    return failure();
  for (const EntryHazard &hazard : plan.entry->getHazards())
    add(hazard.copy->isGlobal(), hazard.inSchedule);
  if (hk::targetOf(pipeline.firstOp()).barriersOrderMemory) {
    plan.fenced = plan.globalFenced = std::vector<bool>(pipeline.numStages(), true);
    return success();
  }
  // Fences that also order global memory cost more, so the number of these fences is minimized first, then the number
  // of other fences.
  for (unsigned slot : chooseFences(schedule, globalHazards))
    schedule.fenced[slot] = true;
  plan.globalFenced = schedule.fenced;
  for (unsigned slot : chooseFences(schedule, hazards))
    schedule.fenced[slot] = true;
  plan.fenced = schedule.fenced;
  return success();
}

/// Rejects accesses of memory spaces that barriers between stages do not order.
static LogicalResult checkSpaces(const WarpPipelinePlan &plan) {
  for (const std::unique_ptr<StageAccess> &access : plan.hazards->getAccesses())
    if (!access->isGlobal())
      if (hk::MemorySpace space = access->regions.front().getSpace(); !space.isOrderedByStages())
        return access->op->emitError() << "the stages of a warp pipeline cannot access " << space.getName()
                                       << ": barriers between stages do not order its accesses";
  return success();
}

static FailureOr<WarpPipelinePlan> planPipeline(WarpPipeline found, const MemoryAliases &aliases,
                                                ArrayRef<CopyInFlight> inFlight) {
  WarpPipelinePlan plan{
      .pipeline = std::move(found), .hazards = nullptr, .entry = nullptr, .fenced = {}, .globalFenced = {}};
  const WarpPipeline &pipeline = plan.pipeline;
  if (failed(checkMachine(pipeline)) || failed(checkStages(pipeline)))
    return failure();
  plan.hazards = std::make_unique<StageHazards>(pipeline, aliases);
  if (failed(checkSpaces(plan)))
    return failure();
  plan.entry = std::make_unique<PipelineEntry>(pipeline, inFlight, *plan.hazards, aliases);
  if (failed(planFences(plan)))
    return failure();
  remarkPriorities(pipeline);
  return plan;
}

/// True if stages of `first` and stages of `second`, a later pipeline, exchange values through global memory.
static bool exchangeGlobally(const WarpPipelinePlan &first, const WarpPipelinePlan &second) {
  for (const std::unique_ptr<StageAccess> &earlier : first.hazards->getAccesses())
    for (const std::unique_ptr<StageAccess> &later : second.hazards->getAccesses())
      if (earlier->isGlobal() && StageHazards::areHazard(*earlier, *later))
        return true;
  return false;
}

/// True if a loop around the pipeline executes the pipeline repeatedly.
static bool isInLoop(const WarpPipeline &pipeline) {
  return bool(pipeline.firstOp()->getParentOfType<LoopLikeOpInterface>());
}

/// Decides which pipelines begin with a barrier that orders global memory. A pipeline that is joined to the previous
/// pipeline has no barrier at its beginning, so the first of the joined pipelines has the barrier. Fences already order
/// a joined pipeline after the pipelines to which it is joined.
static void planBeginnings(MutableArrayRef<WarpPipelinePlan> plans) {
  size_t first = 0;
  for (auto [index, plan] : llvm::enumerate(plans)) {
    if (plan.boundary == PipelineBoundary::Apart)
      first = index;
    size_t end = isInLoop(plan.pipeline) ? plans.size() : index;
    for (size_t other = 0; other < end; ++other)
      if (other < first || other >= index)
        plans[first].beginsWithGlobalFence |= exchangeGlobally(plans[other], plan);
  }
}

/// Returns the regions of shared memory that are read through the async proxy.
static SmallVector<MemoryRegion> proxyAccesses(Operation *function, const MemoryAliases &aliases) {
  SmallVector<MemoryRegion> regions;
  function->walk([&](hk::AsyncProxyAccess op) {
    for (const MemoryUse &use : aliases.usesOf(op))
      llvm::append_range(regions, use.regions);
  });
  return regions;
}

static void planProxyFences(WarpPipelinePlan &plan, ArrayRef<MemoryRegion> reads) {
  plan.showsStores.assign(plan.pipeline.numStages(), false);
  for (const std::unique_ptr<StageAccess> &access : plan.hazards->getAccesses())
    if (access->writes() && !access->isAsync())
      for (const MemoryRegion &written : access->regions)
        if (llvm::any_of(reads, [&](const MemoryRegion &read) { return written.mayOverlap(read); }))
          plan.showsStores[access->stage] = true;
}

FailureOr<SmallVector<WarpPipelinePlan, 0>> planWarpPipelines(Operation *function) {
  FailureOr<SmallVector<WarpPipeline>> pipelines = findWarpPipelines(function);
  if (failed(pipelines) || failed(chooseBarriers(function, *pipelines)))
    return failure();
  SmallVector<WarpPipelinePlan, 0> plans;
  if (pipelines->empty())
    return plans;
  MemoryAliases aliases(function);
  CopiesInFlight inFlight(function, *pipelines);
  SmallVector<MemoryRegion> reads = proxyAccesses(function, aliases);
  for (WarpPipeline &pipeline : *pipelines) {
    SmallVector<CopyInFlight> copies = inFlight.before(pipeline);
    FailureOr<WarpPipelinePlan> plan = planPipeline(std::move(pipeline), aliases, copies);
    if (failed(plan))
      return failure();
    planProxyFences(*plan, reads);
    plans.push_back(std::move(*plan));
  }
  planBoundaries(plans);
  planBeginnings(plans);
  return plans;
}

} // namespace hocket
