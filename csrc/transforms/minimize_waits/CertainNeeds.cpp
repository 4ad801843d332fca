//===- CertainNeeds.cpp - Does each execution that reaches an operation need a wait there? -----------===//
#include "transforms/minimize_waits/CertainNeeds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace hocket {

int64_t constantTrips(Operation *loop) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  if (!counted)
    return 0;
  std::optional<int64_t> begin = getConstantIntValue(counted.getLowerBound());
  std::optional<int64_t> end = getConstantIntValue(counted.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(counted.getStep());
  return begin && end && step && *step > 0 && *begin < *end ? llvm::divideCeilSigned(*end - *begin, *step) : 0;
}

/// True if `op` is under a condition within `around`, which is around `op` or `op` itself.
static bool isConditionalIn(Operation *around, Operation *op) {
  if (op == around)
    return false;
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

/// True if `op` is reached whenever `start` was: no branch decides about `op` alone, or in another iteration. The
/// condition of such a branch may exclude the condition under which `start` was reached.
static bool isDecidedBy(Operation *start, Operation *op, ArrayRef<GroupsInFlight::InLoop> when) {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (!branch->isAncestor(start) || !isOfThisRun(branch, when))
      return false;
  return true;
}

/// True if `start` was reached whenever `op` is: no branch decides about `start` alone, or has decided in another
/// iteration.
static bool isDecidedTogether(Operation *start, Operation *op, ArrayRef<GroupsInFlight::InLoop> when) {
  for (auto branch = start->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (!branch->isAncestor(op) || !isOfThisRun(branch, when))
      return false;
  return true;
}

/// True if an operation in `loop` may finish accesses on `counter`.
static bool finishesInside(Operation *loop, hk::AsyncCounter counter) {
  auto finishes = [&](Operation *op) {
    auto arrival = dyn_cast<hk::AsyncArrival>(op);
    return hk::outstandingOn(op, counter) || (arrival && arrival.getArrivingCounter() == counter);
  };
  return loop->walk([&](Operation *op) { return WalkResult(failure(finishes(op))); }).wasInterrupted();
}

/// Iterations that a loop of unknown trip count is assumed to run. A right kernel may run fewer than its ring has slots.
static constexpr int64_t kLikelyTrips = 2;

namespace {
/// The loops around an operation whose iteration differs from the iteration of a start.
struct OtherIterations {
  /// The outermost of these loops; null if the start was in the same iteration of all loops.
  Operation *outermost = nullptr;
  unsigned depth = 0; ///< the number of loops around `outermost`
  /// The trip counts, known or assumed, exceed the distances between the iterations.
  bool areLikely = true;
  /// A branch or a loop inside `outermost` may skip the operation in some iterations.
  bool isConditional = false;

  OtherIterations(Operation *op, ArrayRef<GroupsInFlight::InLoop> when);
};
} // namespace

OtherIterations::OtherIterations(Operation *op, ArrayRef<GroupsInFlight::InLoop> when) {
  SmallVector<Operation *> parents;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    parents.push_back(parent);
  unsigned numLoops = 0;
  for (Operation *parent : llvm::reverse(parents)) {
    bool isLoop = isa<LoopLikeOpInterface>(parent);
    int64_t trips = isLoop ? constantTrips(parent) : 0;
    isConditional |= outermost && (isa<scf::IfOp>(parent) || (isLoop && trips == 0));
    if (!isLoop)
      continue;
    GroupsInFlight::InLoop inLoop = when[numLoops];
    if (!outermost && (inLoop.isBefore || inLoop.iterations > 0)) {
      outermost = parent;
      depth = numLoops;
    }
    areLikely &= inLoop.iterations < (trips ? trips : kLikelyTrips);
    ++numLoops;
  }
}

/// True if `op`, which certainly meets the start in the iterations of `when`, does so in each execution that reaches
/// `op`.
static bool meetsInEachIteration(const AsyncUses &uses, Operation *op, unsigned number,
                                 ArrayRef<GroupsInFlight::InLoop> when, bool isInRegisters) {
  OtherIterations others(op, when);
  if (!others.areLikely || !others.isConditional)
    return others.areLikely;
  // A branch may reach `op` in other iterations only. They are alike if the start was before all of them, and nothing
  // in the loop finishes it.
  if (!when[others.depth].isBefore || finishesInside(others.outermost, uses.starts()[number].counter))
    return false;
  GroupsInFlight::When later(when);
  for (GroupsInFlight::InLoop &inLoop : MutableArrayRef(later).drop_front(others.depth))
    inLoop.iterations = GroupsInFlight::kFar;
  return (isInRegisters ? uses.meetsInRegisters(op, number, later) : uses.meets(op, number, later)) ==
         Meeting::Certainly;
}

/// True if a loop around `start` alone may finish the access in an iteration after it, and a branch in that loop decides
/// about `start`: it may hold only in earlier iterations than the last.
static bool mayBeFinishedLater(Operation *start, Operation *op, hk::AsyncCounter counter) {
  bool isConditional = false;
  for (Operation *parent = start->getParentOp(); !parent->isAncestor(op); parent = parent->getParentOp()) {
    isConditional |= isa<scf::IfOp>(parent);
    if (isConditional && isa<LoopLikeOpInterface>(parent) && finishesInside(parent, counter))
      return true;
  }
  return false;
}

bool isStartedWhenReached(const AsyncUses &uses, Operation *op, unsigned number, ArrayRef<GroupsInFlight::InLoop> when,
                          bool isInRegisters) {
  Operation *start = uses.starts()[number].op;
  return !mayHaveBeenSkipped(start, op) &&
         (isDecidedTogether(start, op, when) || (isInRegisters && isDecidedBy(start, op, when) &&
                                                 !mayBeFinishedLater(start, op, uses.starts()[number].counter))) &&
         meetsInEachIteration(uses, op, number, when, isInRegisters);
}

} // namespace hocket
