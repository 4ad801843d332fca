//===- MemoryHazards.cpp - Hazards between accesses of buffers --------------------===//
#include "analysis/memory/MemoryHazards.h"

#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Scratch.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "plans/ClusterMovesPlan.h"

using namespace mlir;

namespace hocket {

/// Returns the layout of the registers that `op` loads or stores; null if several lanes may hold the same element. In
/// cluster scope, also returns null if lanes of different CTAs may hold the same element.
static Attribute lanesOf(Operation *op, HazardScope scope, int numCtas) {
  auto access = dyn_cast<hk::RegisterAccess>(op);
  RankedTensorType registers = access ? access.getRegisters() : RankedTensorType();
  if (!registers)
    return {};
  LinearLayout layout = hk::toLinearLayout(registers);
  Coords copies = layout.getFreeVariableMasks();
  if (scope == HazardScope::Cluster && (copies[Dim::Block] != 0 || layout.getInDimSize(Dim::Block) != numCtas))
    return {};
  return copies[Dim::Lane] == 0 && copies[Dim::Warp] == 0 ? registers.getEncoding() : Attribute();
}

/// True if `op` accesses global memory synchronously.
static bool accessesGlobalAtOnce(Operation *op) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return false;
  auto async = dyn_cast<hk::AsyncAccess>(op);
  SmallVector<MemoryEffects::EffectInstance> instances;
  memory.getEffectsOnResource(hk::GlobalMemory::get(), instances);
  return llvm::any_of(instances, [&](const MemoryEffects::EffectInstance &instance) {
    return !(async && instance.getValue() && async.getCompletionOf(instance.getValue()).isAsync());
  });
}

/// True if `op` is a layout conversion that exchanges data between the CTAs of a cluster. Such a conversion itself
/// synchronizes the CTAs.
static bool movesBetweenCtas(Operation *op) {
  auto convert = dyn_cast<hk::ConvertLayoutOp>(op);
  return convert && !haveEqualParts(hk::toLinearLayout(cast<RankedTensorType>(convert.getSrc().getType())),
                                    hk::toLinearLayout(cast<RankedTensorType>(convert.getType())));
}

MemoryHazards::MemoryHazards(Operation *function, HazardScope scope)
    : MemoryHazards(function, scope, hk::SharedSpaceAttr::get(function->getContext())) {}

MemoryHazards::MemoryHazards(Operation *function, HazardScope scope, hk::MemorySpace space)
    : scope(scope), space(space), numCtas(hk::numCtasOf(function)) {
  MemoryAliases aliases(function);
  if (scope == HazardScope::Cluster)
    addAccess({.op = function});
  else if (isa<hk::SharedSpaceAttr>(space))
    function->walk([&](hk::SharedBarrierUse use) { hasSignals |= use.signalsAll() && !use.isPerWarp(); });
  function->walk<WalkOrder::PreOrder>([&](Operation *op) { collect(op, aliases); });

  asynchronous.resize(accesses.size());
  for (unsigned i = 0; i < accesses.size(); ++i)
    asynchronous[i] = accesses[i].completion.isAsync();
  hazards.assign(accesses.size(), llvm::BitVector(accesses.size()));
  hazardsOfIteration = hazards;
  for (unsigned earlier = 0; earlier < accesses.size(); ++earlier)
    for (unsigned later = 0; later < accesses.size(); ++later) {
      bool isStart = scope == HazardScope::Cluster && earlier == kStart;
      if (isStart                         ? accesses[later].isRemote
          : scope == HazardScope::Cluster ? isHazardInCluster(accesses[earlier], accesses[later])
                                          : isHazard(accesses[earlier], accesses[later]))
        addHazard(earlier, later);
    }
}

void MemoryHazards::addHazard(unsigned earlier, unsigned later) {
  if (accesses[later].isOrdered)
    return;
  hazards[later].set(earlier);
  if (mustPrecede(accesses[earlier], accesses[later]) || !areSlotsApart(accesses[earlier], accesses[later]))
    hazardsOfIteration[later].set(earlier);
}

std::optional<unsigned> MemoryHazards::lastConflict(unsigned number, const PendingAccesses &pending) const {
  std::optional<unsigned> last;
  for (unsigned earlier = 0; earlier < accesses.size(); ++earlier) {
    llvm::BitVector alone(accesses.size());
    alone.set(earlier);
    if ((pending.ofIteration().test(earlier) && conflicts(number, hazardsOfIteration[number], alone)) ||
        (pending.beforeIteration().test(earlier) && conflicts(number, hazards[number], alone)))
      last = earlier;
  }
  return last;
}

unsigned MemoryHazards::addAccess(Access access) {
  accesses.push_back(std::move(access));
  return accesses.size() - 1;
}

/// True if `op` is a barrier of the analyzed scope: of the CTA, or of the cluster. If a kernel arrives at the cluster
/// barrier and waits in a later operation, the user is responsible for the accesses between these two operations.
bool MemoryHazards::isBarrier(Operation *op) const {
  if (scope == HazardScope::Cta)
    return space.isBarrier(op);
  return isa<hk::ClusterBarrierOp, hk::ClusterArriveOp>(op) || hk::endsClusterBarrier(op);
}

void MemoryHazards::collectScratch(Operation *op, int64_t bytes) {
  MemoryRegion scratch = MemoryRegion::ofScratch(op, bytes);
  unsigned write = addAccess({.op = op, .regions = {scratch}, .writes = true, .isInternal = true});
  if (scope == HazardScope::Cta) {
    unsigned read = addAccess({.op = op, .regions = {scratch}, .isInternal = true});
    effects[op] = {.accesses = {write}, .hasBarrier = true, .afterBarrier = {read}};
  } else {
    effects[op] = {.accesses = {write}, .hasBarrier = numCtas > 1 && movesBetweenCtas(op), .afterBarrier = {}};
  }
}

/// If `barrier`, a barrier in shared memory, signals the progress of the block, adds the signal to the accesses of the
/// analyzed memory space. The signal must follow earlier accesses of every memory space.
void MemoryHazards::collectSignal(hk::SharedBarrierUse barrier) {
  if (barrier.signalsAll() && !barrier.isPerWarp())
    effects[barrier].accesses.push_back(addAccess({.op = barrier, .signalsAll = true, .isInternal = true}));
}

void MemoryHazards::collect(Operation *op, const MemoryAliases &aliases) {
  if (isBarrier(op)) {
    effects[op].hasBarrier = true;
    return;
  }
  bool isShared = isa<hk::SharedSpaceAttr>(space);
  if (auto barrier = dyn_cast<hk::SharedBarrierUse>(op); barrier && !isShared)
    collectSignal(barrier);
  if (int64_t bytes = isShared ? hk::getScratchBytes(op) : 0) {
    collectScratch(op, bytes);
    if (aliases.usesOf(op).empty())
      return;
  }
  bool isRemote = scope == HazardScope::Cluster && hk::accessesOtherCtas(op, numCtas);
  if (hasSignals && accessesGlobalAtOnce(op))
    effects[op].accesses.push_back(addAccess({.op = op}));
  if (scope == HazardScope::Cluster && hk::reachesOtherMbarriers(op))
    effects[op].accesses.push_back(addAccess({.op = op, .usesOtherMbarriers = true}));
  auto load = dyn_cast<hk::LocalLoadOp>(op);
  for (const MemoryUse &use : aliases.usesOf(op)) {
    if (use.getSpace() != space)
      continue;
    // The access of the barrier of an asynchronous operation is itself synchronous.
    auto barrier = use.completion.isAsync() ? hk::SharedBarrierUse() : dyn_cast<hk::SharedBarrierUse>(op);
    Access access{.op = op,
                  .regions = SmallVector<MemoryRegion, 1>(use.regions.begin(), use.regions.end()),
                  .writes = use.writes,
                  // A wait does not complete the access for other CTAs: a cluster barrier must follow the wait.
                  .completion = scope == HazardScope::Cta ? use.completion : hk::Completion(),
                  .isRelaxed = load && load.getRelaxed(),
                  .isOrdered = isShared && scope == HazardScope::Cta && hk::kOrderedAttr.isOn(op),
                  .isRemote = isRemote,
                  .isMbarrierSetup = barrier && !barrier.isConcurrent(),
                  .isByOneThread = barrier && barrier.isByOneThread(),
                  .isConcurrent = barrier && barrier.isConcurrent(),
                  .precedesWaits = barrier && barrier.precedesWaits(),
                  .signalsAll = barrier && barrier.signalsAll() && !barrier.isPerWarp(),
                  .lanes = lanesOf(op, scope, numCtas),
                  .loop = op->getParentOfType<LoopLikeOpInterface>()};
    if (std::optional<hk::RingSlot> slot = hk::slotOf(use.handle)) {
      access.ring = slot->ring;
      access.slot = RingIndex::of(slot->index, access.loop);
    }
    effects[op].accesses.push_back(addAccess(std::move(access)));
  }
}

bool MemoryHazards::areSlotsApart(const Access &a, const Access &b) {
  return a.ring && a.ring == b.ring && a.loop == b.loop && RingIndex::firstOverlap(*a.slot, *b.slot, 0) != 0;
}

bool MemoryHazards::mustPrecede(const Access &earlier, const Access &signal) {
  return signal.signalsAll && !earlier.isByOneThread && !earlier.isInternal;
}

bool MemoryHazards::isHazard(const Access &earlier, const Access &later) {
  if (mustPrecede(earlier, later))
    return true;
  if (!earlier.writes && !later.writes)
    return false;
  if (earlier.isByOneThread && later.isByOneThread)
    return false;
  if (earlier.isConcurrent && later.isConcurrent && !(earlier.precedesWaits && !later.writes))
    return false;
  return mayOverlap(earlier, later);
}

/// True if CTAs must wait for each other between `earlier` and `later`. Hazards between lanes of one CTA belong to
/// HazardScope::Cta.
bool MemoryHazards::isHazardInCluster(const Access &earlier, const Access &later) {
  if (earlier.isMbarrierSetup && later.usesOtherMbarriers)
    return true;
  return (earlier.isRemote || later.isRemote) && (earlier.writes || later.writes) && mayOverlap(earlier, later);
}

/// True if different lanes may access the same bytes with the accesses `earlier` and `later`.
bool MemoryHazards::mayOverlap(const Access &earlier, const Access &later) {
  bool isOneView =
      earlier.regions.size() == 1 && later.regions.size() == 1 && earlier.regions[0].isSameView(later.regions[0]);
  if (isOneView && earlier.lanes && earlier.lanes == later.lanes)
    return false;
  for (const MemoryRegion &mine : earlier.regions)
    for (const MemoryRegion &other : later.regions)
      if (mine.mayOverlap(other))
        return true;
  return false;
}

const NumberedAccesses *MemoryHazards::effectsOf(Operation *op) const {
  auto found = effects.find(op);
  return found == effects.end() ? nullptr : &found->second;
}

} // namespace hocket
