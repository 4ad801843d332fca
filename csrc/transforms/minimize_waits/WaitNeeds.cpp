//===- WaitNeeds.cpp - Which operations come too early for what is in flight -----------------------===//
#include "transforms/minimize_waits/WaitNeeds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket {

/// Does each path to `op` that comes by `start` at all certainly do so? Not if a condition decides about `start` alone.
static bool isDecidedTogether(Operation *start, Operation *op) {
  for (auto branch = start->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (!branch->isAncestor(op))
      return false;
  return true;
}

namespace {
class Walk {
public:
  Walk(const AsyncUses &uses, ArrayRef<hk::AsyncCounter> placed, const WaitNeeds::Replaced &replaced)
      : uses(uses), placed(placed), replaced(replaced) {}

  /// From `state` to what is in flight after the steps.
  void walk(ArrayRef<AsyncStep> steps, GroupsInFlight &state);

  SmallVector<WaitNeed, 0> needs;

private:
  struct Iteration {
    GroupsInFlight next; ///< where the next iteration begins
    GroupsInFlight exit; ///< where the loop is left
  };
  void walk(const AsyncStep &step, GroupsInFlight &state);
  void walkOperation(const AsyncStep &step, GroupsInFlight &state);
  void walkLoop(const AsyncStep &loop, GroupsInFlight &state);
  Iteration walkIteration(const AsyncStep &loop, const GroupsInFlight &entry);
  /// What `op` needs in `state`.
  SmallVector<WaitNeed, 1> needsOf(Operation *op, const GroupsInFlight &state) const;
  auto isOn(hk::AsyncCounter counter) const {
    return [this, counter](unsigned number) { return uses.starts()[number].counter == counter; };
  }

  const AsyncUses &uses;
  ArrayRef<hk::AsyncCounter> placed;
  const WaitNeeds::Replaced &replaced;
  unsigned numLoops = 0; ///< around the point
};
} // namespace

SmallVector<WaitNeed, 1> Walk::needsOf(Operation *op, const GroupsInFlight &state) const {
  SmallVector<WaitNeed, 1> found;
  state.forEach([&](unsigned number, ArrayRef<GroupsInFlight::InLoop> when, GroupsInFlight::State start) {
    if (!start.isInFlight())
      return;
    auto [startOp, counter] = uses.starts()[number];
    if (Meeting meeting = uses.meetsInRegisters(op, number, when); meeting != Meeting::Never) {
      bool isCertain = meeting == Meeting::Certainly && !start.mayBeFinished;
      found.push_back({op, number, counter, start.age, isCertain, /*isInRegisters=*/true});
    } else if (Meeting meeting = uses.meets(op, number, when); meeting != Meeting::Never) {
      bool isCertain = meeting == Meeting::Certainly && !start.mayBeFinished && isDecidedTogether(startOp, op);
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

void Walk::walkOperation(const AsyncStep &step, GroupsInFlight &state) {
  if (!step.awaited.empty()) {
    auto other = replaced.find(step.op);
    std::optional<unsigned> outstanding =
        other == replaced.end() ? cast<hk::AsyncWait>(step.op).getOutstanding() : other->second;
    for (hk::AsyncCounter counter : step.awaited)
      if (outstanding)
        state.wait(*outstanding, isOn(counter));
  }
  if (step.mayMeet)
    for (const WaitNeed &need : needsOf(step.op, state)) {
      needs.push_back(need);
      if (llvm::is_contained(placed, need.counter))
        state.wait(std::max(need.age, 1u) - 1, isOn(need.counter));
    }
  for (hk::AsyncCounter counter : step.handedOver)
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
    GroupsInFlight nothing; // what other warps have started, no wait of a worker could finish
    walk(step.regions.front(), nothing);
  } else {
    for (ArrayRef<AsyncStep> region : step.regions)
      walk(region, state);
  }
}

/// scf.for is left after any iteration or before the first; scf.while after its first region.
Walk::Iteration Walk::walkIteration(const AsyncStep &loop, const GroupsInFlight &entry) {
  Iteration iteration{.next = entry, .exit = entry};
  bool isWhile = isa<scf::WhileOp>(loop.op);
  ++numLoops;
  for (const auto &[i, region] : llvm::enumerate(loop.regions)) {
    walk(region, iteration.next);
    if (isWhile && i == 0)
      iteration.exit = iteration.next;
  }
  --numLoops;
  iteration.next.nextIteration();
  if (!isWhile)
    iteration.exit |= iteration.next;
  return iteration;
}

void Walk::walkLoop(const AsyncStep &loop, GroupsInFlight &state) {
  size_t first = needs.size(); // those of the last walk through the loop count
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
  // Waits that were placed in the later walks may have finished what earlier ones left in flight.
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

SmallVector<WaitNeed, 0> WaitNeeds::find(const Replaced &replaced) const {
  Walk walk(uses, placed, replaced);
  GroupsInFlight state;
  walk.walk(steps, state);
  return std::move(walk.needs);
}

} // namespace hocket
