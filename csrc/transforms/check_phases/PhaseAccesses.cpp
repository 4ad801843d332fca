//===- PhaseAccesses.cpp - Accesses that complete with phases of mbarriers ---------===//
#include "transforms/check_phases/PhaseAccesses.h"

#include "analysis/memory/RingSlots.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Predicated.h"
#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {

/// True if `op` can affect other warps in unknown ways: it is inline assembly, or its effects are unknown.
static bool mayDoAnything(Operation *op) {
  if (isa<hk::SharedBarrierUse, hk::NamedBarrierUse, hk::AsyncAccess, hk::AsyncCommit, hk::AsyncWait, hk::BarrierOp,
          hk::AtomicAccess, hk::AssumeOp, hk::SchedBarrierOp, hk::ClusterArriveOp, hk::ClusterWaitOp,
          hk::ClusterBarrierOp, hk::WarpSpecializeOp, hk::WorkerOp, hk::ElementRegion>(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return !isa<func::FuncOp>(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return effect.getResource() == SideEffects::DefaultResource::get() &&
           isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect());
  });
}

/// True if `op` reads global memory in a loop whose condition can depend on the value that is read. A loop whose
/// condition depends on a value read from global memory possibly polls a flag.
static bool mayPoll(Operation *op) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory || isa<hk::AsyncAccess>(op) || !op->getParentOfType<scf::WhileOp>())
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffectsOnResource(hk::GlobalMemory::get(), effects);
  return llvm::any_of(effects, [](const auto &effect) { return isa<MemoryEffects::Read>(effect.getEffect()); });
}

/// True if `op` waits for a phase of a barrier.
static bool waitsForPhase(Operation *op) {
  auto use = dyn_cast<hk::SharedBarrierUse>(op);
  return use && use.getAwaitedPhase();
}

static bool mayLearnOfOthers(Operation *op) {
  if (auto named = dyn_cast<hk::NamedBarrierUse>(op))
    return named.waits();
  return isa<hk::AtomicAccess, hk::WarpSpecializeOp, hk::ClusterWaitOp, hk::ClusterBarrierOp>(op) ||
         waitsForPhase(op) || mayDoAnything(op) || mayPoll(op);
}

PhaseAccesses::PhaseAccesses(func::FuncOp function)
    : aliases(function), releases(function, aliases), isAlone(hk::numCtasOf(function) == 1) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) { collect(op); });
  collectHandedOver(function);
}

void PhaseAccesses::collect(Operation *op) {
  if (mayLearnOfOthers(op))
    synchronizing.insert(op);
  if (waitsForPhase(op) || mayDoAnything(op))
    waits.push_back(op);
  auto predicated = dyn_cast<hk::Predicated>(op);
  Value predicate = predicated ? predicated.getPredicate() : Value();
  if (predicate && matchPattern(predicate, m_Zero()))
    return;
  bool usesBarrier = isa<hk::SharedBarrierUse>(op);
  for (const MemoryUse &use : aliases.usesOf(op)) {
    if (usesBarrier && !use.completion.isAsync()) // `use` is an access of the mbarrier, not of a tile
      continue;
    (use.writes ? allWrites : allReads).push_back({op, use});
    std::optional<hk::BarrierPhase> phase = use.completion.getPhase();
    if (use.writes && phase && !aliases.lookup(phase->barrier).empty())
      allStarts.push_back({op,
                           use.handle,
                           SmallVector<MemoryRegion, 1>(use.regions),
                           {phase->barrier},
                           !usesBarrier && (!predicate || matchPattern(predicate, m_One()))});
  }
}

void PhaseAccesses::collectHandedOver(func::FuncOp function) {
  SmallVector<hk::AsyncArrival> arrivals;
  function->walk([&](hk::AsyncArrival op) { arrivals.push_back(op); });
  if (arrivals.empty())
    return;
  auto isCounted = [&](hk::AsyncCounter counter) {
    auto waitsOn = [&](Operation *op) { return WalkResult(failure(hk::outstandingOn(op, counter).has_value())); };
    return function->walk(waitsOn).wasInterrupted();
  };
  for (const Access &write : allWrites) {
    std::optional<hk::AsyncCounter> counter = write.use.completion.getCounter();
    if (!counter || isCounted(*counter))
      continue;
    Start start{write.op, write.use.handle, SmallVector<MemoryRegion, 1>(write.use.regions), {}};
    for (hk::AsyncArrival arrival : arrivals)
      if (arrival.getArrivingCounter() == *counter && partitionOf(arrival) == partitionOf(write.op))
        start.barriers.push_back(arrival.getArrivalPhase().barrier);
    auto isUnknown = [&](Value barrier) { return aliases.lookup(barrier).empty(); };
    if (!start.barriers.empty() && llvm::none_of(start.barriers, isUnknown))
      allStarts.push_back(std::move(start));
  }
}

bool PhaseAccesses::mayOverlap(ArrayRef<MemoryRegion> mine, ArrayRef<MemoryRegion> others) {
  return llvm::any_of(mine, [&](const MemoryRegion &one) {
    return llvm::any_of(
        others, [&](const MemoryRegion &other) { return one.getOwner() == other.getOwner() && one.mayOverlap(other); });
  });
}

/// True if `later` follows `earlier` in program order, and no loop contains both operations.
static bool isCertainlyAfter(Operation *later, Operation *earlier) {
  for (Operation *op = later; op->getBlock(); op = op->getParentOp())
    if (Operation *other = op->getBlock()->findAncestorOpInBlock(*earlier))
      return other != op && other->isBeforeInBlock(op) && !op->getParentOfType<LoopLikeOpInterface>();
  return false;
}

SmallVector<const PhaseAccesses::Start *, 2> PhaseAccesses::onlyWritersOf(const Access &read) const {
  SmallVector<const Start *, 2> writers;
  for (const Access &write : allWrites) {
    if (!mayOverlap(write.use.regions, read.use.regions) || isCertainlyAfter(write.op, read.op))
      continue;
    auto start =
        llvm::find_if(allStarts, [&](const Start &one) { return one.op == write.op && one.tile == write.use.handle; });
    if (start == allStarts.end())
      return {};
    writers.push_back(start);
  }
  return writers;
}

/// True if two slot numbers that differ by `apart` certainly select the same slot of a ring buffer with `slots`
/// slots.
static bool isSameSlot(const std::optional<RingIndex::Difference> &apart, int64_t slots) {
  return apart && apart->step == 0 && apart->number % slots == 0 && apart->unit % slots == 0;
}

bool PhaseAccesses::certainlyReads(const Access &read, const Start &start) const {
  if (start.regions.size() != 1 || read.use.regions.size() != 1)
    return false;
  const MemoryRegion &written = start.regions.front(), &seen = read.use.regions.front();
  if (!mayOverlap(written, seen))
    return false;
  if (written.isExact() && seen.isExact())
    return true;
  std::optional<SlotReleases::Slot> mine = releases.slotOf(start.tile), other = releases.slotOf(read.use.handle);
  if (!mine || !other || mine->ring != other->ring || !written.isSameViewOfSlot(seen))
    return false;
  if (mine->index == other->index)
    return true;
  auto loop = start.op->getParentOfType<LoopLikeOpInterface>();
  auto readLoop = read.op->getParentOfType<LoopLikeOpInterface>();
  RingIndex index = RingIndex::of(mine->index, loop), readIndex = RingIndex::of(other->index, readLoop);
  if (loop == readLoop)
    return isSameSlot(RingIndex::difference(index, readIndex, 0), mine->slots);
  bool isNested = readLoop && readLoop->getParentOfType<LoopLikeOpInterface>() == loop;
  return isNested && index.getConstant() && isSameSlot(RingIndex::difference(index, readIndex.at(0), 0), mine->slots);
}

std::optional<int64_t> PhaseAccesses::iterationsUntilRefill(const Start &start) const {
  if (start.regions.size() != 1)
    return std::nullopt;
  if (start.regions.front().isExact())
    return 1;
  std::optional<SlotReleases::Slot> slot = releases.slotOf(start.tile);
  auto loop = start.op->getParentOfType<LoopLikeOpInterface>();
  if (!slot || !loop)
    return std::nullopt;
  RingIndex index = RingIndex::of(slot->index, loop);
  if (index.getModulus() == 0 && !index.isFixed()) // an index without a modulus is different in each iteration
    return std::nullopt;
  for (int64_t iterations = 1; iterations <= slot->slots; ++iterations)
    if (isSameSlot(RingIndex::difference(index, index, iterations), slot->slots))
      return iterations;
  return std::nullopt;
}

/// If the buffer of `barrier` is unknown, `wait` may wait for any barrier.
bool PhaseAccesses::mayWaitAt(Operation *wait, Value barrier) const {
  SmallVector<MemoryUse, 1> uses = aliases.usesOf(wait);
  ArrayRef<MemoryRegion> regions = aliases.lookup(barrier);
  return !waitsForPhase(wait) || uses.empty() || regions.empty() ||
         llvm::any_of(uses, [&](const MemoryUse &use) { return mayOverlap(use.regions, regions); });
}

bool PhaseAccesses::isNeverAwaited(Value barrier) const {
  return llvm::none_of(waits, [&](Operation *wait) { return mayWaitAt(wait, barrier); });
}

bool PhaseAccesses::mayWaitFor(Operation *op, const Start &start) const {
  return mayDoAnything(op) ||
         (waitsForPhase(op) && llvm::any_of(start.barriers, [&](Value barrier) { return mayWaitAt(op, barrier); }));
}

bool PhaseAccesses::isAwaited(const Start &start) const {
  return llvm::any_of(waits, [&](Operation *op) { return mayWaitFor(op, start); });
}

/// In a cluster, other CTAs also execute the waits of this partition, so these waits count as waits of another
/// partition.
bool PhaseAccesses::mayOrder(Operation *op, const Start &start, Operation *partition) const {
  if (!maySynchronize(op))
    return false;
  bool isAwaitedElsewhere = llvm::any_of(
      waits, [&](Operation *wait) { return (!isAlone || partitionOf(wait) != partition) && mayWaitFor(wait, start); });
  return isAwaitedElsewhere || mayWaitFor(op, start);
}

} // namespace hocket
