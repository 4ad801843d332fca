//===- WaitNeeds.cpp - Finds operations that come too early for accesses in flight -----------------===//
#include "transforms/minimize_waits/WaitNeeds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "transforms/minimize_waits/LoopEnd.h"

using namespace mlir;

namespace hocket {

/// Returns the trip count of `loop`; 0 if it is not constant.
static int64_t constantTrips(Operation *loop) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  if (!counted)
    return 0;
  std::optional<int64_t> begin = getConstantIntValue(counted.getLowerBound());
  std::optional<int64_t> end = getConstantIntValue(counted.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(counted.getStep());
  return begin && end && step && *step > 0 && *begin < *end ? llvm::divideCeilSigned(*end - *begin, *step) : 0;
}

/// True if `op` is under a condition within `around`, an operation around it.
static bool isConditionalIn(Operation *around, Operation *op) {
  for (op = op->getParentOp(); op != around; op = op->getParentOp())
    if (isa<scf::IfOp>(op) || (isa<LoopLikeOpInterface>(op) && constantTrips(op) == 0))
      return true;
  return false;
}

/// True if `start` is in a loop that may have no iteration and `op`, after that loop, is under a condition: the
/// condition may imply that the loop has not run.
static bool mayHaveBeenSkipped(Operation *start, Operation *op) {
  bool mayNotRun = false;
  Operation *common = start->getParentOp();
  for (; !common->isAncestor(op); common = common->getParentOp())
    mayNotRun |= isa<LoopLikeOpInterface>(common) && constantTrips(common) == 0;
  return mayNotRun && isConditionalIn(common, op);
}

/// True if an access started at `when` was started in this run of `branch`, and not in an earlier iteration.
static bool isOfThisRun(scf::IfOp branch, ArrayRef<GroupsInFlight::InLoop> when) {
  unsigned numLoops = 0;
  for (Operation *loop = branch; (loop = loop->getParentOfType<LoopLikeOpInterface>());)
    ++numLoops;
  return llvm::all_of(when.take_front(numLoops),
                      [](const GroupsInFlight::InLoop &inLoop) { return !inLoop.isBefore && inLoop.iterations == 0; });
}

/// True if `op` is reached whenever the start was: no condition decides about `op` alone, or in another iteration. Such
/// a condition may exclude the one under which the start was reached.
static bool isDecidedBy(Operation *start, Operation *op, ArrayRef<GroupsInFlight::InLoop> when) {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (!branch->isAncestor(start) || !isOfThisRun(branch, when))
      return false;
  return true;
}

/// True if the start was reached whenever `op` is: no condition decides about `start` alone, or decided in another
/// iteration.
static bool isDecidedTogether(Operation *start, Operation *op, ArrayRef<GroupsInFlight::InLoop> when) {
  for (auto branch = start->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (!branch->isAncestor(op) || !isOfThisRun(branch, when))
      return false;
  return true;
}

/// Loops with at most this constant trip count are walked iteration by iteration: ages are exact after them.
static constexpr int64_t kShortLoop = 16;

namespace {
class Walk {
public:
  Walk(const AsyncUses &uses, ArrayRef<hk::AsyncCounter> placed, const WaitNeeds::Replaced &replaced,
       Operation *onTrial = nullptr)
      : uses(uses), placed(placed), replaced(replaced), onTrial(onTrial) {}

  /// Updates `state` to the accesses in flight after the steps.
  void walk(ArrayRef<AsyncStep> steps, GroupsInFlight &state);

  SmallVector<WaitNeed, 0> needs;
  SmallVector<TrialNeed, 0> trialNeeds;

private:
  struct Iteration {
    GroupsInFlight next; ///< state at the start of the next iteration
    GroupsInFlight exit; ///< state at the exit of the loop
  };
  void walk(const AsyncStep &step, GroupsInFlight &state);
  void walkOperation(const AsyncStep &step, GroupsInFlight &state);
  void walkWait(const AsyncStep &step, GroupsInFlight &state);
  void walkLoop(const AsyncStep &loop, GroupsInFlight &state);
  void walkShortLoop(const AsyncStep &loop, int64_t trips, GroupsInFlight &state);
  Iteration walkIteration(const AsyncStep &loop, const GroupsInFlight &entry);
  void walkUntilNext(ArrayRef<AsyncStep> steps, const LoopEnd &end, GroupsInFlight &state,
                     std::optional<GroupsInFlight> &leaving);
  /// Makes needs from `first` on uncertain, after a walk through `loop` that ends in `state`: those of operations under
  /// a condition of the loop for accesses that were started before it and that a wait may finish. The condition may
  /// hold only in iterations after the wait.
  void doubtConditionals(const AsyncStep &loop, const GroupsInFlight &state, size_t first);
  /// Adds the needs of `op` for the wait on trial.
  void tryAt(Operation *op, const GroupsInFlight &state);
  /// Returns the needs of `op` in `state`.
  SmallVector<WaitNeed, 1> needsOf(Operation *op, const GroupsInFlight &state) const;
  auto isOn(hk::AsyncCounter counter) const {
    return [this, counter](unsigned number) { return uses.starts()[number].counter == counter; };
  }

  const AsyncUses &uses;
  ArrayRef<hk::AsyncCounter> placed;
  const WaitNeeds::Replaced &replaced;
  Operation *onTrial;    ///< null: none; then needs are collected
  unsigned numLoops = 0; ///< number of loops around the point
};
} // namespace

SmallVector<WaitNeed, 1> Walk::needsOf(Operation *op, const GroupsInFlight &state) const {
  SmallVector<WaitNeed, 1> found;
  state.forEach([&](unsigned number, ArrayRef<GroupsInFlight::InLoop> when, GroupsInFlight::State start) {
    if (!start.isInFlight())
      return;
    auto [startOp, counter] = uses.starts()[number];
    bool isReached = !start.mayBeFinished && !mayHaveBeenSkipped(startOp, op);
    if (Meeting meeting = uses.meetsInRegisters(op, number, when); meeting != Meeting::Never) {
      bool isCertain = meeting == Meeting::Certainly && isReached &&
                       (isDecidedTogether(startOp, op, when) || isDecidedBy(startOp, op, when));
      found.push_back({op, number, counter, start.age, isCertain, /*isInRegisters=*/true});
    } else if (Meeting meeting = uses.meets(op, number, when); meeting != Meeting::Never) {
      bool isCertain = meeting == Meeting::Certainly && isReached && isDecidedTogether(startOp, op, when);
      found.push_back({op, number, counter, start.age, isCertain});
    }
  });
  return found;
}

void Walk::walk(ArrayRef<AsyncStep> steps, GroupsInFlight &state) {
  for (const AsyncStep &step : steps)
    if (step.hasStarts || state.isAnyInFlight())
      walk(step, state);
}

void Walk::tryAt(Operation *op, const GroupsInFlight &state) {
  state.forEachOnTrial([&](unsigned number, ArrayRef<GroupsInFlight::InLoop> when, unsigned age) {
    auto isKnown = [&](const TrialNeed &need) { return need.op == op && need.number == number && need.age == age; };
    bool isInRegisters = uses.meetsInRegisters(op, number, when) != Meeting::Never;
    bool meets = isInRegisters || uses.meets(op, number, when) != Meeting::Never;
    if (meets && llvm::none_of(trialNeeds, isKnown))
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
  if (step.mayMeet && onTrial)
    tryAt(step.op, state);
  else if (step.mayMeet)
    for (const WaitNeed &need : needsOf(step.op, state)) {
      needs.push_back(need);
      if (llvm::is_contained(placed, need.counter))
        state.wait(std::max(need.age, 1u) - 1, isOn(need.counter));
    }
  // For operations that do not wait for the mbarrier, the wait on trial may be the one that completes the access.
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

/// scf.for is left after any iteration, or before the first one if it may not run at all; scf.while after its first
/// region.
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
      walk(loop.regions[0], *leaving);
      iteration.exit |= *leaving;
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

/// Walks the second region of scf.while, to `state` if another iteration follows, to `leaving` if a branch ends the
/// loop.
void Walk::walkUntilNext(ArrayRef<AsyncStep> steps, const LoopEnd &end, GroupsInFlight &state,
                         std::optional<GroupsInFlight> &leaving) {
  for (const AsyncStep &step : steps) {
    std::optional<unsigned> last = end.regionThatLeaves(step.op);
    if (leaving)
      walk(ArrayRef(step), *leaving);
    if (!last) {
      walk(ArrayRef(step), state);
      continue;
    }
    GroupsInFlight taken = state;
    walk(step.regions[*last], taken);
    walk(step.regions[1 - *last], state);
    if (leaving)
      *leaving |= taken;
    else
      leaving = std::move(taken);
  }
}

void Walk::doubtConditionals(const AsyncStep &loop, const GroupsInFlight &state, size_t first) {
  for (WaitNeed &need : MutableArrayRef(needs).drop_front(first))
    need.isCertain &= loop.op->isAncestor(uses.starts()[need.number].op) || !isConditionalIn(loop.op, need.op) ||
                      !state.mayBeFinished(need.number);
}

/// Walks a short loop iteration by iteration.
void Walk::walkShortLoop(const AsyncStep &loop, int64_t trips, GroupsInFlight &state) {
  size_t first = needs.size();
  state.enterLoop();
  for (; trips > 0; --trips)
    state = walkIteration(loop, state).next;
  doubtConditionals(loop, state, first);
  state.leaveLoop();
}

void Walk::walkLoop(const AsyncStep &loop, GroupsInFlight &state) {
  int64_t trips = constantTrips(loop.op);
  if (trips > 0 && trips <= kShortLoop && !containsLoop(loop))
    return walkShortLoop(loop, trips, state);
  size_t first = needs.size(); // the needs of the last walk through the loop count
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
  // Waits placed in later walks may have completed accesses that earlier ones left in flight.
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
  doubtConditionals(loop, state, first);
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

/// Numbers the steps; a step precedes those in its regions.
static void numberSteps(ArrayRef<AsyncStep> steps, DenseMap<Operation *, unsigned> &order) {
  for (const AsyncStep &step : steps) {
    order.try_emplace(step.op, order.size());
    for (ArrayRef<AsyncStep> region : step.regions)
      numberSteps(region, order);
  }
}

SmallVector<TrialNeed, 0> WaitNeeds::tryWithout(hk::AsyncWait wait, const Replaced &replaced) const {
  Walk walk(uses, placed, replaced, wait);
  GroupsInFlight state;
  walk.walk(steps, state);
  DenseMap<Operation *, unsigned> order;
  numberSteps(steps, order);
  llvm::sort(walk.trialNeeds, [&](const TrialNeed &a, const TrialNeed &b) {
    return std::tuple(order[a.op], a.number, a.age) < std::tuple(order[b.op], b.number, b.age);
  });
  return std::move(walk.trialNeeds);
}

} // namespace hocket
