//===- StageHazards.cpp - What the stages of a warp pipeline do to shared memory --===//
#include "analysis/StageHazards.h"

#include "analysis/WarpPrivate.h"

using namespace mlir;

namespace hocket {

/// The registers that `op` loads or stores, or that a copy would pass through.
static RankedTensorType registersOf(Operation *op) {
  if (auto load = dyn_cast<hk::LocalLoadOp>(op))
    return load.getType();
  if (auto store = dyn_cast<hk::LocalStoreOp>(op))
    return store.getValue().getType();
  if (auto alloc = dyn_cast<hk::LocalAllocOp>(op); alloc && alloc.getSrc())
    return alloc.getSrc().getType();
  if (auto copy = dyn_cast<hk::GlobalAccess>(op); copy && isa<hk::AsyncCopy>(op))
    return dyn_cast<RankedTensorType>(copy.getGlobalAddresses().accessed);
  return {};
}

/// The operation that selects a slot of a whole buffer, on the way from `handle` back to its allocation.
static hk::MemDescIndexOp slotSelection(Value handle) {
  while (Operation *op = lookThroughStages(handle).getDefiningOp()) {
    auto index = dyn_cast<hk::MemDescIndexOp>(op);
    if (index && lookThroughStages(index.getSrc()).getDefiningOp<hk::LocalAllocOp>())
      return index;
    if (!index && !isa<hk::MemDescSliceOp, hk::MemDescPermuteOp>(op))
      return {};
    handle = op->getOperand(0);
  }
  return {};
}

StageHazards::StageHazards(const WarpPipeline &pipeline, const SharedAliases &aliases) : pipeline(pipeline) {
  for (unsigned stage = 0; stage < pipeline.numStages(); ++stage) {
    hk_amd::StageOp op = pipeline.stages[stage];
    op.getBody().walk<WalkOrder::PreOrder>([&](Operation *inner) { collect(inner, stage, aliases); });
  }
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = 0; j < accesses.size(); ++j)
      if (accesses[i]->writes() || accesses[j]->writes())
        compare(*accesses[i], *accesses[j], i < j);
}

void StageHazards::collect(Operation *op, unsigned stage, const SharedAliases &aliases) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return;
  SmallVector<MemoryEffects::EffectInstance> instances;
  memory.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    bool writes = isa<MemoryEffects::Write>(instance.getEffect());
    if (!instance.getValue() || !(writes || isa<MemoryEffects::Read>(instance.getEffect())))
      continue;
    ArrayRef<SharedRegion> regions = aliases.lookup(instance.getValue());
    if (regions.empty())
      continue;
    auto access = std::make_unique<StageAccess>();
    access->op = op;
    access->stage = stage;
    if (writes)
      access->kind = isa<hk::AsyncCopy>(op) ? StageAccessKind::Copy : StageAccessKind::Write;
    access->regions.assign(regions.begin(), regions.end());
    access->registers = registersOf(op);
    if (auto selection = slotSelection(instance.getValue()); selection && regions.size() == 1)
      access->slot = RingIndex::of(selection.getIndex(), pipeline.loop);
    accesses.push_back(std::move(access));
  }
}

static bool mayOverlap(const StageAccess &a, const StageAccess &b) {
  for (const SharedRegion &mine : a.regions)
    for (const SharedRegion &other : b.regions)
      if (mine.mayOverlap(other))
        return true;
  return false;
}

/// Where the two meet at all, it is in the same elements, and each of these is with one warp.
static bool isWarpPrivate(const StageAccess &a, const StageAccess &b) {
  return a.regions.size() == 1 && b.regions.size() == 1 && a.regions[0].isSameViewOfSlot(b.regions[0]) && a.registers &&
         b.registers && areInSameWarps(a.registers, b.registers);
}

bool StageHazards::areHazard(const StageAccess &a, const StageAccess &b) {
  return (a.writes() || b.writes()) && mayOverlap(a, b) && !(isWarpPrivate(a, b) && a.kind != StageAccessKind::Copy);
}

/// In iterations, at least `from`.
std::optional<int64_t> StageHazards::firstMeeting(const StageAccess &earlier, const StageAccess &later,
                                                  int64_t from) const {
  if (!mayOverlap(earlier, later))
    return std::nullopt;
  bool inOneRing = earlier.slot && later.slot && earlier.regions[0].getOwner() == later.regions[0].getOwner();
  if (inOneRing)
    return RingIndex::firstMeeting(*earlier.slot, *later.slot, from);
  return from;
}

void StageHazards::compare(const StageAccess &earlier, const StageAccess &later, bool isEarlierInProgram) {
  std::optional<int64_t> iterations = firstMeeting(earlier, later, isEarlierInProgram ? 0 : 1);
  if (!iterations || (!pipeline.loop && *iterations > 0))
    return;
  SharedStageHazard hazard{.earlier = &earlier, .later = &later};
  hazard.isPrivate = isWarpPrivate(earlier, later);
  hazard.stagesApart = *iterations * pipeline.numStages() + int64_t(later.stage) - int64_t(earlier.stage);
  hazard.inSchedule = {earlier.stage, hazard.stagesApart};
  if (hazard.isCopy()) {
    hazard.arrival = findArrival(pipeline, earlier.stage, earlier.op);
    int64_t lastStage = hazard.arrival ? hazard.arrival->stagesLater - 1 : hazard.stagesApart;
    hazard.inSchedule = {unsigned((earlier.stage + lastStage) % pipeline.numStages()), hazard.stagesApart - lastStage};
  }
  // A warp's own accesses are in order, its own copies once it has waited for them.
  if (hazard.isPrivate && (!hazard.isCopy() || hazard.inSchedule.distance > 0))
    return;
  hazards.push_back(hazard);
}

} // namespace hocket
