//===- AsyncUses.cpp - Operations that conflict with outstanding asynchronous accesses -------------===//
#include "analysis/async/AsyncUses.h"

#include "analysis/global/ValueSources.h"
#include "dialect/hk/facts/Predicated.h"
#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

using namespace mlir;

namespace hocket {

using InLoop = GroupsInFlight::InLoop;

AsyncUses::AsyncUses(Operation *function) : results(function) {
  bool isAsynchronous =
      function->walk([](Operation *op) { return WalkResult(failure(isSynchronizing(op))); }).wasInterrupted();
  if (!isAsynchronous)
    return;
  MemoryAliases aliases(function);
  SlotReleases releases(function, aliases);
  function->walk<WalkOrder::PreOrder>([&](Operation *op) { collect(op, aliases, releases); });
}

bool AsyncUses::isSynchronizing(Operation *op) { return isa<hk::AsyncAccess, hk::AsyncCommit, hk::AsyncWait>(op); }

ArrayRef<unsigned> AsyncUses::startsOf(Operation *op) const {
  auto found = numbers.find(op);
  return found == numbers.end() ? ArrayRef<unsigned>() : ArrayRef<unsigned>(found->second);
}

void AsyncUses::collectGlobal(Operation *op, Effects &effects) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return;
  SmallVector<MemoryEffects::EffectInstance> instances;
  memory.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    Value value = instance.getValue();
    if (!value || !isa<hk::PointerType>(getElementTypeOrSelf(value.getType())))
      continue;
    if (isa<MemoryEffects::Write>(instance.getEffect()))
      effects.writtenPointers.push_back(value);
    else if (isa<MemoryEffects::Read>(instance.getEffect()))
      effects.readPointers.push_back(value);
  }
}

void AsyncUses::collectOfWorker(Operation *op, const MemoryAliases &aliases, Effects &effects) {
  for (const MemoryUse &use : aliases.usesOf(op))
    effects.released.push_back(accessAt(op, use.regions, use.writes));
  collectGlobal(op, effects);
  effects.publishes |= isa<hk::AtomicAccess>(op);
}

AsyncUses::Access AsyncUses::accessAt(Operation *op, ArrayRef<MemoryRegion> regions, bool writes) {
  return {.regions = SmallVector<MemoryRegion, 1>(regions),
          .writes = writes,
          .loop = op->getParentOfType<LoopLikeOpInterface>()};
}

void AsyncUses::collect(Operation *op, const MemoryAliases &aliases, const SlotReleases &releases) {
  Effects effects;
  if (auto predicated = dyn_cast<hk::Predicated>(op))
    if (Value predicate = predicated.getPredicate(); predicate && !matchPattern(predicate, m_One())) {
      if (matchPattern(predicate, m_Zero()))
        return;
      effects.isConditional = true;
    }
  auto addCounter = [&](hk::AsyncCounter counter) {
    if (!llvm::is_contained(allCounters, counter))
      allCounters.push_back(counter);
  };
  auto addCounted = [&](hk::AsyncCounter counter) {
    addCounter(counter);
    if (!isCounted(counter))
      countedOn.push_back(counter);
  };
  llvm::SmallDenseSet<Value, 2> readHandles, writtenHandles;
  for (const MemoryUse &use : aliases.usesOf(op)) {
    (use.writes ? writtenHandles : readHandles).insert(use.handle);
    Access access = accessAt(op, use.regions, use.writes);
    access.completion = use.completion;
    if (std::optional<SlotReleases::Slot> slot = releases.slotOf(use.handle)) {
      access.ring = slot->ring;
      access.slots = slot->slots;
      access.slot = RingIndex::of(slot->index, access.loop);
    }
    effects.shared.push_back(std::move(access));
  }
  collectGlobal(op, effects);
  if (auto partitions = dyn_cast<hk::WarpSpecializeOp>(op))
    for (hk::WorkerOp worker : partitions.getWorkerOps())
      worker->walk([&](Operation *inner) { collectOfWorker(inner, aliases, effects); });
  auto isWritten = [&](Value handle) { return writtenHandles.contains(handle); };
  auto barrier = dyn_cast<hk::SharedBarrierUse>(op);
  effects.publishes |=
      isa<hk::AtomicAccess, func::ReturnOp, hk::WorkerEndOp>(op) || llvm::any_of(readHandles, isWritten);
  effects.endsStage = isa<hk::StageEndOp>(op);
  effects.isSignal =
      isa<hk::NamedBarrierUse>(op) || (barrier && barrier.signalsAll()) || SlotReleases::arrivesAtCluster(op);
  for (const SlotReleases::Access &released :
       effects.isSignal ? releases.releasedBy(op) : SmallVector<SlotReleases::Access>()) {
    Access access = accessAt(op, released.regions, released.writes);
    if (released.ring) {
      access.ring = released.ring;
      access.slots = released.slots;
      access.slot = RingIndex::of(released.index, access.loop);
    }
    effects.released.push_back(std::move(access));
  }

  if (auto async = dyn_cast<hk::AsyncAccess>(op))
    for (Value operand : op->getOperands()) {
      std::optional<hk::AsyncCounter> counter = async.getCompletionOf(operand).getCounter();
      auto isKnown = [&](unsigned number) { return allStarts[number].counter == *counter; };
      if (!counter || llvm::any_of(numbers[op], isKnown))
        continue;
      addCounter(*counter);
      numbers[op].push_back(allStarts.size());
      allStarts.push_back({op, *counter});
    }
  if (auto commit = dyn_cast<hk::AsyncCommit>(op))
    llvm::for_each(commit.getCommittedCounters(), addCounted);
  if (auto wait = dyn_cast<hk::AsyncWait>(op))
    llvm::for_each(wait.getAwaitedCounters(), addCounted);
  if (!effects.shared.empty() || !effects.released.empty() || !effects.readPointers.empty() ||
      !effects.writtenPointers.empty() || effects.publishes || effects.endsStage || effects.isSignal)
    accesses.try_emplace(op, std::move(effects));
}

// Conflicts -----------------------------------------------------------------------------------------------------------

/// Returns whether two indices into a ring buffer of `slots` slots select the same slot; `apart` is the difference of
/// the indices.
static Conflict conflictOfSlots(const RingIndex::Difference &apart, int64_t slots) {
  int64_t known = std::gcd(apart.unit, apart.step);
  bool maySlotsBeEqual = known == 0 ? apart.number == 0 : apart.number % known == 0;
  if (!maySlotsBeEqual)
    return Conflict::None;
  bool isCertain = apart.step == 0 && apart.number % slots == 0 && apart.unit % slots == 0;
  return isCertain ? Conflict::Certain : Conflict::Possible;
}

Conflict AsyncUses::conflictInRing(const Access &start, const Access &use, ArrayRef<InLoop> when) {
  auto conflictNow = [&](const RingIndex &earlier, const RingIndex &later, int64_t iterations) {
    std::optional<RingIndex::Difference> apart = RingIndex::difference(earlier, later, iterations);
    return apart ? conflictOfSlots(*apart, use.slots) : Conflict::Possible;
  };
  if (start.slot->getConstant() && use.slot->getConstant())
    return conflictNow(*start.slot, *use.slot, 0);
  if (!use.loop)
    return start.loop || !when.empty() ? Conflict::Possible : conflictNow(*start.slot, *use.slot, 0);
  InLoop inner = when.back();
  if (inner.iterations == GroupsInFlight::kFar)
    return Conflict::Possible;
  if (start.loop == use.loop)
    return inner.isBefore ? Conflict::Possible : conflictNow(*start.slot, *use.slot, inner.iterations);
  return inner.isBefore && start.slot->getConstant() ? conflictNow(*start.slot, use.slot->at(inner.iterations), 0)
                                                     : Conflict::Possible;
}

bool AsyncUses::mayConflict(const Access &start, const Access &use) {
  return (start.writes || use.writes) && llvm::any_of(start.regions, [&](const MemoryRegion &mine) {
           return llvm::any_of(use.regions, [&](const MemoryRegion &other) {
             return mine.getOwner() == other.getOwner() && mine.mayOverlap(other);
           });
         });
}

Conflict AsyncUses::conflictBetween(const Access &start, const Access &use, ArrayRef<InLoop> when) {
  if (!mayConflict(start, use))
    return Conflict::None;
  if (start.regions.size() != 1 || use.regions.size() != 1)
    return Conflict::Possible;
  const MemoryRegion &mine = start.regions.front(), &other = use.regions.front();
  if (mine.isExact() && other.isExact())
    return Conflict::Certain;
  if (!start.ring || start.ring != use.ring)
    return Conflict::Possible;
  Conflict inRing = conflictInRing(start, use, when);
  return inRing == Conflict::Certain && !mine.isSameViewOfSlot(other) ? Conflict::Possible : inRing;
}

bool AsyncUses::mayConflictInGlobal(Operation *op, unsigned number) const {
  const Effects &use = accesses.find(op)->second;
  if (use.readPointers.empty() && use.writtenPointers.empty())
    return false;
  auto [known, isNew] = conflictsInGlobal.try_emplace({op, number}, false);
  if (!isNew)
    return known->second;
  const Start &start = allStarts[number];
  auto effects = accesses.find(start.op);
  if (effects == accesses.end())
    return false;
  const Effects &started = effects->second;
  auto isOnCounter = [&](Value pointer) {
    return cast<hk::AsyncAccess>(start.op).getCompletionOf(pointer).isOn(start.counter);
  };
  auto areOfOneArray = [&](ArrayRef<Value> mine, ArrayRef<Value> others) {
    return llvm::any_of(mine, [&](Value a) {
      return isOnCounter(a) && llvm::any_of(others, [&](Value b) { return mayBeOfOneArray(a, b); });
    });
  };
  known->second = areOfOneArray(started.readPointers, use.writtenPointers) ||
                  areOfOneArray(started.writtenPointers, use.readPointers) ||
                  areOfOneArray(started.writtenPointers, use.writtenPointers);
  return known->second;
}

Conflict AsyncUses::conflictInRegisters(Operation *op, unsigned number, ArrayRef<InLoop> when) const {
  auto [start, counter] = allStarts[number];
  auto inRegisters = dyn_cast<hk::AsyncResults>(start);
  bool isHere = inRegisters && inRegisters.getCounterOfResults() == counter;
  return isHere ? results.conflictOf(op, start, when) : Conflict::None;
}

bool AsyncUses::mayConflictOutsideShared(Operation *op, const Effects &use, unsigned number) const {
  bool hasAsyncResults = isa<hk::AsyncResults>(allStarts[number].op);
  return use.publishes || (use.endsStage && hasAsyncResults) || (use.isSignal && !hasAsyncResults) ||
         mayConflictInGlobal(op, number);
}

SmallVector<const AsyncUses::Access *, 1> AsyncUses::sharedOf(const Start &start) const {
  SmallVector<const Access *, 1> shared;
  // If `accesses` has no entry for `start.op`, the memory that `start.op` accesses is unknown.
  if (auto started = accesses.find(start.op); started != accesses.end())
    for (const Access &access : started->second.shared)
      if (access.completion.isOn(start.counter))
        shared.push_back(&access);
  return shared;
}

bool AsyncUses::mayConflict(Operation *op, unsigned number) const {
  const Start &start = allStarts[number];
  if (isa<hk::AsyncResults>(start.op) && results.concerns(op))
    return true;
  auto found = accesses.find(op);
  if (found == accesses.end())
    return false;
  const Effects &use = found->second;
  return mayConflictOutsideShared(op, use, number) || llvm::any_of(sharedOf(start), [&](const Access *mine) {
           auto conflicts = [&](const Access &other) { return mayConflict(*mine, other); };
           return llvm::any_of(use.shared, conflicts) || llvm::any_of(use.released, conflicts);
         });
}

const llvm::BitVector &AsyncUses::startsInConflictWith(Operation *op) const {
  auto [known, isNew] = conflictingStarts.try_emplace(op, allStarts.size());
  if (isNew)
    for (unsigned number : llvm::seq<unsigned>(allStarts.size()))
      known->second[number] = mayConflict(op, number);
  return known->second;
}

Conflict AsyncUses::conflictInMemory(Operation *op, unsigned number, ArrayRef<InLoop> when) const {
  auto found = accesses.find(op);
  if (found == accesses.end())
    return Conflict::None;
  const Effects &use = found->second;
  Conflict most = mayConflictOutsideShared(op, use, number) ? Conflict::Possible : Conflict::None;
  for (const Access *mine : sharedOf(allStarts[number])) {
    for (const Access &other : use.shared)
      most = std::max(most, conflictBetween(*mine, other, when));
    for (const Access &other : use.released)
      most = std::max(
          most, std::min(conflictBetween(*mine, other, when), other.ring ? Conflict::Certain : Conflict::Possible));
  }
  return use.isConditional ? std::min(most, Conflict::Possible) : most;
}

} // namespace hocket
