//===- WaitNeeds.cpp - Which operations come too early for what is in flight -----------------------===//
#include "transforms/minimize_waits/WaitNeeds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket {

SmallVector<WaitNeed, 0> WaitNeeds::find(Region &function, const Replaced &replaced) const {
  return walk(function, {}, 0, replaced).needs;
}

void WaitNeeds::finish(GroupsInFlight &state, hk::AsyncCounter counter, unsigned outstanding) const {
  state.wait(outstanding, [&](unsigned number) { return uses.starts()[number].counter == counter; });
}

/// Does each path to `op` that comes by `start` at all certainly do so? Not if a condition decides about `start` alone.
static bool isDecidedTogether(Operation *start, Operation *op) {
  for (auto branch = start->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (!branch->isAncestor(op))
      return false;
  return true;
}

SmallVector<WaitNeed, 1> WaitNeeds::needsOf(Operation &op, const GroupsInFlight &state) const {
  SmallVector<WaitNeed, 1> needs;
  state.forEach([&](unsigned number, ArrayRef<GroupsInFlight::InLoop> when, GroupsInFlight::State start) {
    if (!start.isInFlight())
      return;
    auto [startOp, counter] = uses.starts()[number];
    if (Meeting meeting = uses.meetsInRegisters(&op, number, when); meeting != Meeting::Never) {
      bool isCertain = meeting == Meeting::Certainly && !start.mayBeFinished;
      needs.push_back({&op, number, counter, start.age, isCertain, /*isInRegisters=*/true});
    } else if (Meeting meeting = uses.meets(&op, number, when); meeting != Meeting::Never) {
      bool isCertain = meeting == Meeting::Certainly && !start.mayBeFinished && isDecidedTogether(startOp, &op);
      needs.push_back({&op, number, counter, start.age, isCertain});
    }
  });
  return needs;
}

WaitNeeds::Walk WaitNeeds::walk(Region &region, GroupsInFlight state, unsigned numLoops,
                                const Replaced &replaced) const {
  Walk all{{}, std::move(state)};
  for (Block &block : region)
    for (Operation &op : block)
      if (op.getNumRegions() || uses.concerns(&op))
        all.append(walk(op, std::move(all.state), numLoops, replaced));
  return all;
}

WaitNeeds::Walk WaitNeeds::walk(Operation &op, GroupsInFlight state, unsigned numLoops,
                                const Replaced &replaced) const {
  if (auto waiting = dyn_cast<hk::AsyncWait>(op)) {
    auto other = replaced.find(&op);
    std::optional<unsigned> outstanding = other == replaced.end() ? waiting.getOutstanding() : other->second;
    for (hk::AsyncCounter counter : waiting.getAwaitedCounters())
      if (outstanding)
        finish(state, counter, *outstanding);
  }
  Walk here{{}, std::move(state)};
  for (const WaitNeed &need : needsOf(op, here.state)) {
    here.needs.push_back(need);
    if (llvm::is_contained(placed, need.counter))
      finish(here.state, need.counter, std::max(need.age, 1u) - 1);
  }
  if (auto barrier = dyn_cast<hk::SharedBarrierUse>(op))
    if (std::optional<hk::AsyncCounter> tracked = barrier.getTrackedCounter())
      here.state.handOver([&](unsigned number) { return uses.starts()[number].counter == *tracked; });
  for (unsigned number : uses.startsOf(&op))
    if (isFinishedByWaits(number))
      here.state.start(number, numLoops);
  if (auto commit = dyn_cast<hk::AsyncCommit>(op))
    for (hk::AsyncCounter counter : commit.getCommittedCounters())
      here.state.commit([&](unsigned number) { return uses.starts()[number].counter == counter; });

  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Walk taken = walk(branch.getThenRegion(), here.state, numLoops, replaced);
    here.append(walk(branch.getElseRegion(), std::move(here.state), numLoops, replaced));
    here.needs.append(taken.needs);
    here.state |= taken.state;
  } else if (isa<LoopLikeOpInterface>(op)) {
    here.append(walkLoop(op, here.state, numLoops, replaced));
  } else if (auto partitions = dyn_cast<hk::WarpSpecializeOp>(op)) {
    // What other warps have started, no wait of a worker could finish.
    here.append(walk(partitions.getBody(), std::move(here.state), numLoops, replaced));
    for (hk::WorkerOp worker : partitions.getWorkerOps())
      here.needs.append(walk(worker.getBody(), {}, numLoops, replaced).needs);
  } else {
    for (Region &region : op.getRegions())
      here.append(walk(region, std::move(here.state), numLoops, replaced));
  }
  return here;
}

/// scf.for is left after any iteration or before the first; scf.while after its first region.
WaitNeeds::Iteration WaitNeeds::walkIteration(Operation &op, const GroupsInFlight &entry, unsigned numLoops,
                                              const Replaced &replaced) const {
  Iteration iteration{{{}, entry}, entry};
  bool isWhile = isa<scf::WhileOp>(op);
  for (Region &region : op.getRegions()) {
    iteration.body.append(walk(region, std::move(iteration.body.state), numLoops, replaced));
    if (isWhile && region.getRegionNumber() == 0)
      iteration.exit = iteration.body.state;
  }
  iteration.body.state.nextIteration();
  if (!isWhile)
    iteration.exit |= iteration.body.state;
  return iteration;
}

WaitNeeds::Walk WaitNeeds::walkLoop(Operation &op, const GroupsInFlight &state, unsigned numLoops,
                                    const Replaced &replaced) const {
  GroupsInFlight before = state;
  before.enterLoop();
  GroupsInFlight entry = before;
  Iteration iteration = walkIteration(op, entry, numLoops + 1, replaced);
  for (;;) {
    GroupsInFlight next = entry;
    next |= iteration.body.state;
    if (next == entry)
      break;
    entry = std::move(next);
    iteration = walkIteration(op, entry, numLoops + 1, replaced);
  }
  // Waits that were placed in the later walks may have finished what earlier ones left in flight.
  GroupsInFlight exact = before;
  exact |= iteration.body.state;
  if (exact != entry) {
    Iteration again = walkIteration(op, exact, numLoops + 1, replaced);
    GroupsInFlight arriving = before;
    arriving |= again.body.state;
    if (arriving == exact)
      iteration = std::move(again);
  }
  iteration.exit.leaveLoop();
  return {std::move(iteration.body.needs), std::move(iteration.exit)};
}

} // namespace hocket
