//===- WaitNeeds.cpp - Finds operations that need a wait for accesses in flight ---------------===//
#include "transforms/minimize_waits/WaitNeeds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/minimize_waits/CertainNeeds.h"
#include "transforms/minimize_waits/LoopEnd.h"

using namespace mlir;

namespace hocket {

/// Loops with at most this constant trip count are walked iteration by iteration, so that the ages of accesses
/// (WaitNeeds.h) after the loop are exact.
static constexpr int64_t kShortLoop = 16;

/// Maximum number of accesses in flight that the walk of one trial visits, summed over all operations.
static constexpr uint64_t kMostVisits = 1'000'000;

namespace {
class Walk {
public:
  Walk(const AsyncUses &uses, ArrayRef<hk::AsyncCounter> placed, const WaitNeeds::Replaced &replaced,
       Operation *onTrial = nullptr)
      : uses(uses), placed(placed), replaced(replaced), onTrial(onTrial) {}

  /// Walks over `steps`. On entry, `state` holds the accesses in flight before the steps. On return, `state` holds the
  /// accesses in flight after the steps.
  void walk(ArrayRef<AsyncStep> steps, GroupsInFlight &state);

  /// True if the walk of a trial stopped early, because the walk took too long.
  bool isGivenUp() const { return onTrial && numVisits > kMostVisits; }

  SmallVector<WaitNeed, 0> needs;
  SmallVector<TrialNeed, 0> trialNeeds;

private:
  struct Iteration {
    GroupsInFlight next; ///< accesses in flight at the start of the next iteration
    GroupsInFlight exit; ///< accesses in flight at the exit of the loop
  };
  void walk(const AsyncStep &step, GroupsInFlight &state);
  void walkOperation(const AsyncStep &step, GroupsInFlight &state);
  void walkWait(const AsyncStep &step, GroupsInFlight &state);
  void walkLoop(const AsyncStep &loop, GroupsInFlight &state);
  void walkShortLoop(const AsyncStep &loop, int64_t trips, GroupsInFlight &state);
  Iteration walkIteration(const AsyncStep &loop, const GroupsInFlight &entry);
  void walkUntilNext(ArrayRef<AsyncStep> steps, const LoopEnd &end, GroupsInFlight &state,
                     std::optional<GroupsInFlight> &leaving);
  /// Keeps needs of two alternative paths certain only if they are certain on both paths. The walk of one path has
  /// appended the needs from index `first` on, the walk of the other path the needs from index `second` on.
  void keepCertain(size_t first, size_t second);
  /// In a trial: adds the conflicts of `op` with accesses in flight that only the wait under trial (see WaitNeeds.h)
  /// would have completed.
  void tryAt(Operation *op, const GroupsInFlight &state);
  /// Returns the waits that `op` needs if the accesses in `state` are in flight.
  SmallVector<WaitNeed, 1> needsOf(Operation *op, const GroupsInFlight &state) const;
  auto isOn(hk::AsyncCounter counter) const {
    return [this, counter](unsigned number) { return uses.starts()[number].counter == counter; };
  }

  const AsyncUses &uses;
  ArrayRef<hk::AsyncCounter> placed;
  const WaitNeeds::Replaced &replaced;
  Operation *onTrial;    ///< the wait that a trial leaves out; null if the walk is not a trial but collects needs
  unsigned numLoops = 0; ///< number of loops around the current program point
  uint64_t numVisits = 0;
};
} // namespace

SmallVector<WaitNeed, 1> Walk::needsOf(Operation *op, const GroupsInFlight &state) const {
  SmallVector<WaitNeed, 1> found;
  state.forEach([&](unsigned number, ArrayRef<GroupsInFlight::InLoop> when, GroupsInFlight::State start) {
    if (!start.isInFlight())
      return;
    hk::AsyncCounter counter = uses.starts()[number].counter;
    Conflict conflict = uses.conflictInRegisters(op, number, when);
    bool isInRegisters = conflict != Conflict::None;
    if (!isInRegisters)
      conflict = uses.conflictInMemory(op, number, when);
    if (conflict == Conflict::None)
      return;
    bool isCertain = conflict == Conflict::Certain && !start.mayBeFinished && !llvm::is_contained(placed, counter) &&
                     isStartedWhenReached(uses, op, number, when, isInRegisters);
    found.push_back({op, number, counter, start.age, isCertain, isInRegisters, GroupsInFlight::When(when)});
  });
  return found;
}

void Walk::walk(ArrayRef<AsyncStep> steps, GroupsInFlight &state) {
  for (const AsyncStep &step : steps) {
    state.forEach([&](unsigned, ArrayRef<GroupsInFlight::InLoop>, GroupsInFlight::State) { ++numVisits; });
    if (isGivenUp())
      return;
    if (step.hasStarts || state.isAnyInFlight())
      walk(step, state);
  }
}

void Walk::tryAt(Operation *op, const GroupsInFlight &state) {
  state.forEachOnTrial([&](unsigned number, ArrayRef<GroupsInFlight::InLoop> when, unsigned age) {
    auto isKnown = [&](const TrialNeed &need) { return need.op == op && need.number == number && need.age == age; };
    bool isInRegisters = uses.conflictInRegisters(op, number, when) != Conflict::None;
    bool conflicts = isInRegisters || uses.conflictInMemory(op, number, when) != Conflict::None;
    if (conflicts && llvm::none_of(trialNeeds, isKnown))
      trialNeeds.push_back({op, number, age, isInRegisters});
  });
}

void Walk::walkWait(const AsyncStep &step, GroupsInFlight &state) {
  auto other = replaced.find(step.op);
  std::optional<unsigned> outstanding =
      other == replaced.end() ? cast<hk::AsyncWait>(step.op).getOutstanding() : other->second;
  if (!outstanding)
    return;
  auto isAwaited = [&](unsigned number) { return llvm::is_contained(step.awaited, uses.starts()[number].counter); };
  if (step.op == onTrial)
    state.leaveOutWait(*outstanding, isAwaited);
  else
    state.wait(*outstanding, isAwaited);
}

void Walk::walkOperation(const AsyncStep &step, GroupsInFlight &state) {
  if (!step.awaited.empty())
    walkWait(step, state);
  if (step.mayConflict && onTrial)
    tryAt(step.op, state);
  else if (step.mayConflict)
    for (const WaitNeed &need : needsOf(step.op, state)) {
      needs.push_back(need);
      if (llvm::is_contained(placed, need.counter))
        state.wait(std::max(need.age, 1u) - 1, isOn(need.counter));
    }
  // In a trial, accesses that complete on an mbarrier stay in flight: operations that do not wait for the mbarrier
  // possibly need the wait under trial.
  for (hk::AsyncCounter counter : step.handedOver)
    if (!onTrial)
      state.handOver(isOn(counter));
  for (unsigned number : step.starts)
    state.start(number, numLoops);
  for (hk::AsyncCounter counter : step.committed)
    state.commit(isOn(counter));
}

void Walk::walk(const AsyncStep &step, GroupsInFlight &state) {
  walkOperation(step, state);
  if (isa<scf::IfOp>(step.op)) {
    GroupsInFlight taken = state;
    walk(step.regions[1], state);
    walk(step.regions[0], taken);
    state |= taken;
  } else if (isa<LoopLikeOpInterface>(step.op)) {
    walkLoop(step, state);
  } else if (isa<hk::WorkerOp>(step.op)) {
    GroupsInFlight nothing; // a wait of a worker cannot complete accesses of other warps
    walk(step.regions.front(), nothing);
  } else {
    for (ArrayRef<AsyncStep> region : step.regions)
      walk(region, state);
  }
}

static bool containsLoop(const AsyncStep &step) {
  return llvm::any_of(step.regions, [](ArrayRef<AsyncStep> region) {
    return llvm::any_of(
        region, [](const AsyncStep &inner) { return isa<LoopLikeOpInterface>(inner.op) || containsLoop(inner); });
  });
}

/// Walks one iteration. An scf.for can end after any iteration, and before the first one unless the trip count is known
/// to be positive; an scf.while ends after its first region.
Walk::Iteration Walk::walkIteration(const AsyncStep &loop, const GroupsInFlight &entry) {
  Iteration iteration{.next = entry, .exit = {}};
  ++numLoops;
  if (isa<scf::WhileOp>(loop.op)) {
    walk(loop.regions[0], iteration.next);
    iteration.exit = iteration.next;
    std::optional<GroupsInFlight> leaving;
    walkUntilNext(loop.regions[1], LoopEnd(cast<scf::WhileOp>(loop.op)), iteration.next, leaving);
    iteration.next.nextIteration(/*isTrial=*/onTrial != nullptr);
    if (leaving) {
      leaving->nextIteration(/*isTrial=*/onTrial != nullptr);
      size_t first = needs.size();
      walk(loop.regions[0], *leaving);
      keepCertain(first, needs.size()); // if another iteration follows, these operations are executed again
      iteration.exit.joinAlternative(*leaving);
    }
    --numLoops;
    return iteration;
  }
  for (ArrayRef<AsyncStep> region : loop.regions)
    walk(region, iteration.next);
  --numLoops;
  iteration.next.nextIteration(/*isTrial=*/onTrial != nullptr);
  iteration.exit = iteration.next;
  if (constantTrips(loop.op) == 0)
    iteration.exit |= entry;
  return iteration;
}

void Walk::keepCertain(size_t first, size_t second) {
  MutableArrayRef<WaitNeed> one = MutableArrayRef(needs).slice(first, second - first);
  MutableArrayRef<WaitNeed> other = MutableArrayRef(needs).drop_front(second);
  auto restrict = [](MutableArrayRef<WaitNeed> some, ArrayRef<WaitNeed> others) {
    for (WaitNeed &need : some)
      need.isCertain &= llvm::any_of(others, [&](const WaitNeed &other) {
        return other.isCertain && other.op == need.op && other.number == need.number;
      });
  };
  restrict(one, other);
  restrict(other, one);
}

/// Walks the second region of scf.while. `state` receives the accesses in flight if another iteration follows,
/// `leaving` the accesses in flight if a branch ends the loop.
void Walk::walkUntilNext(ArrayRef<AsyncStep> steps, const LoopEnd &end, GroupsInFlight &state,
                         std::optional<GroupsInFlight> &leaving) {
  for (const AsyncStep &step : steps) {
    std::optional<unsigned> last = end.regionThatLeaves(step.op);
    bool isSplit = leaving.has_value();
    size_t first = needs.size();
    if (isSplit)
      walk(ArrayRef(step), *leaving);
    size_t second = needs.size();
    if (last) {
      GroupsInFlight taken = state;
      walk(step.regions[*last], taken);
      walk(step.regions[1 - *last], state);
      if (isSplit)
        *leaving |= taken;
      else
        leaving = std::move(taken);
    } else {
      walk(ArrayRef(step), state);
    }
    if (isSplit)
      keepCertain(first, second);
  }
}

/// Walks a short loop iteration by iteration.
void Walk::walkShortLoop(const AsyncStep &loop, int64_t trips, GroupsInFlight &state) {
  state.enterLoop();
  for (; trips > 0; --trips)
    state = walkIteration(loop, state).next;
  state.leaveLoop();
}

void Walk::walkLoop(const AsyncStep &loop, GroupsInFlight &state) {
  int64_t trips = constantTrips(loop.op);
  if (trips > 0 && trips <= kShortLoop && !containsLoop(loop))
    return walkShortLoop(loop, trips, state);
  size_t first = needs.size(); // only the needs that the last walk through the loop finds are kept
  state.enterLoop();
  GroupsInFlight entry = state;
  Iteration iteration = walkIteration(loop, entry);
  for (;;) {
    GroupsInFlight next = entry;
    next |= iteration.next;
    if (next == entry)
      break;
    entry = std::move(next);
    needs.truncate(first);
    iteration = walkIteration(loop, entry);
  }
  // Unlike `exact`, `entry` can contain accesses of earlier walks that waits of the last walk complete.
  GroupsInFlight exact = state;
  exact |= iteration.next;
  if (exact != entry) {
    SmallVector<WaitNeed, 0> found(ArrayRef(needs).drop_front(first));
    needs.truncate(first);
    Iteration again = walkIteration(loop, exact);
    GroupsInFlight arriving = state;
    arriving |= again.next;
    if (arriving == exact) {
      iteration = std::move(again);
    } else {
      needs.truncate(first);
      needs.append(found);
    }
  }
  state = std::move(iteration.exit);
  state.leaveLoop();
}

WaitNeeds::WaitNeeds(Region &function, const AsyncUses &uses, ArrayRef<hk::AsyncCounter> placed,
                     function_ref<bool(const AsyncUses::Start &)> isFollowed)
    : uses(uses), placed(placed) {
  llvm::BitVector followed(uses.starts().size());
  for (const auto &[number, start] : llvm::enumerate(uses.starts()))
    followed[number] = isFollowed(start);
  steps = asyncSteps(function, uses, followed);
}

WaitNeeds::WaitNeeds(Region &function, const AsyncUses &uses, ArrayRef<hk::AsyncCounter> placed)
    : WaitNeeds(function, uses, placed, [&](const AsyncUses::Start &start) {
        return uses.isCounted(start.counter) || llvm::is_contained(placed, start.counter);
      }) {}

WaitNeeds::WaitNeeds(Region &function, const AsyncUses &uses, hk::AsyncWait wait)
    : WaitNeeds(function, uses, {}, [&](const AsyncUses::Start &start) {
        return llvm::is_contained(wait.getAwaitedCounters(), start.counter) &&
               start.op->getParentOfType<hk::WorkerOp>() == wait->getParentOfType<hk::WorkerOp>();
      }) {}

SmallVector<WaitNeed, 0> WaitNeeds::find() const {
  Replaced asWritten;
  Walk walk(uses, placed, asWritten);
  GroupsInFlight state;
  walk.walk(steps, state);
  return std::move(walk.needs);
}

/// Numbers the steps in program order. The number of a step is less than the numbers of the steps in its regions.
static void numberSteps(ArrayRef<AsyncStep> steps, DenseMap<Operation *, unsigned> &order) {
  for (const AsyncStep &step : steps) {
    order.try_emplace(step.op, order.size());
    for (ArrayRef<AsyncStep> region : step.regions)
      numberSteps(region, order);
  }
}

std::optional<SmallVector<TrialNeed, 0>> WaitNeeds::tryWithout(hk::AsyncWait wait, const Replaced &replaced) const {
  Walk walk(uses, placed, replaced, wait);
  GroupsInFlight state;
  walk.walk(steps, state);
  if (walk.isGivenUp())
    return std::nullopt;
  DenseMap<Operation *, unsigned> order;
  numberSteps(steps, order);
  llvm::sort(walk.trialNeeds, [&](const TrialNeed &a, const TrialNeed &b) {
    return std::tuple(order[a.op], a.number, a.age) < std::tuple(order[b.op], b.number, b.age);
  });
  return std::move(walk.trialNeeds);
}

} // namespace hocket
