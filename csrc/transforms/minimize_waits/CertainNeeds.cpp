//===- CertainNeeds.cpp - Decides whether a missing wait is certainly an error ----------------===//
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

/// True if `op` is in a branch inside `around`, or in a loop inside `around` whose trip count can be 0. `around` is
/// `op` or an operation around `op`.
static bool isConditionalIn(Operation *around, Operation *op) {
  if (op == around)
    return false;
  for (op = op->getParentOp(); op != around; op = op->getParentOp())
    if (isa<scf::IfOp>(op) || (isa<LoopLikeOpInterface>(op) && constantTrips(op) == 0))
      return true;
  return false;
}

/// True if `start` is in a loop whose trip count can be 0, and `op` is in a branch after that loop. The condition of
/// the branch possibly implies that the loop has not run.
static bool mayHaveBeenSkipped(Operation *start, Operation *op) {
  bool mayNotRun = false;
  Operation *common = start->getParentOp();
  for (; !common->isAncestor(op); common = common->getParentOp())
    mayNotRun |= isa<LoopLikeOpInterface>(common) && constantTrips(common) == 0;
  return mayNotRun && isConditionalIn(common, op);
}

/// True if, according to `when`, the access was started in the current iteration of each loop around `branch`.
static bool isOfThisRun(scf::IfOp branch, ArrayRef<GroupsInFlight::InLoop> when) {
  unsigned numLoops = 0;
  for (Operation *loop = branch; (loop = loop->getParentOfType<LoopLikeOpInterface>());)
    ++numLoops;
  return llvm::all_of(when.take_front(numLoops),
                      [](const GroupsInFlight::InLoop &inLoop) { return !inLoop.isBefore && inLoop.iterations == 0; });
}

/// True if `op` is reached whenever `start` has been reached: every branch around `op` also contains `start`, in the
/// same execution of the branch. If a branch contains `op` but not `start`, possibly no execution reaches both.
static bool isDecidedBy(Operation *start, Operation *op, ArrayRef<GroupsInFlight::InLoop> when) {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (!branch->isAncestor(start) || !isOfThisRun(branch, when))
      return false;
  return true;
}

/// True if `start` has been reached whenever `op` is reached: every branch around `start` also contains `op`, in the
/// same execution of the branch.
static bool isDecidedTogether(Operation *start, Operation *op, ArrayRef<GroupsInFlight::InLoop> when) {
  for (auto branch = start->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (!branch->isAncestor(op) || !isOfThisRun(branch, when))
      return false;
  return true;
}

/// True if an operation in `loop` can complete accesses on `counter`.
static bool finishesInside(Operation *loop, hk::AsyncCounter counter) {
  auto finishes = [&](Operation *op) {
    auto arrival = dyn_cast<hk::AsyncArrival>(op);
    return hk::outstandingOn(op, counter) || (arrival && arrival.getArrivingCounter() == counter);
  };
  return loop->walk([&](Operation *op) { return WalkResult(failure(finishes(op))); }).wasInterrupted();
}

/// Number of iterations that a loop of unknown trip count is assumed to run. The number is small, because some kernels
/// are correct only if the loop runs fewer iterations than the ring buffer has slots.
static constexpr int64_t kLikelyTrips = 2;

namespace {
/// Describes the loops around an operation, for an access that was started in an earlier iteration of some of these
/// loops, or before them.
struct OtherIterations {
  /// The outermost loop around the operation whose current iteration did not start the access; null if the current
  /// iteration of each loop started the access.
  Operation *outermost = nullptr;
  unsigned depth = 0; ///< number of loops around the loop `outermost`
  /// True if each loop's trip count (known or assumed) exceeds the number of iterations between the access and the
  /// operation.
  bool areLikely = true;
  /// True if the operation is skipped in some iterations by a branch or a loop inside `outermost`.
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

/// True if `op` conflicts with the access with index `number` in each execution that reaches `op`. The conflict must be
/// certain for executions in which the access was started in the iterations that `when` describes.
static bool conflictsInEachIteration(const AsyncUses &uses, Operation *op, unsigned number,
                                     ArrayRef<GroupsInFlight::InLoop> when, bool isInRegisters) {
  OtherIterations others(op, when);
  if (!others.areLikely || !others.isConditional)
    return others.areLikely;
  // Possibly, a branch skips `op` in the iterations that `when` describes. `op` also conflicts in other iterations if
  // the access was started before the loop and no operation in the loop completes the access.
  if (!when[others.depth].isBefore || finishesInside(others.outermost, uses.starts()[number].counter))
    return false;
  GroupsInFlight::When later(when);
  for (GroupsInFlight::InLoop &inLoop : MutableArrayRef(later).drop_front(others.depth))
    inLoop.iterations = GroupsInFlight::kFar;
  return (isInRegisters ? uses.conflictInRegisters(op, number, later) : uses.conflictInMemory(op, number, later)) ==
         Conflict::Certain;
}

/// True if `start` is in a branch inside a loop that does not contain `op`, and an operation in the loop can complete
/// the access. Possibly, only early iterations start the access, and a later iteration completes the access.
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
         conflictsInEachIteration(uses, op, number, when, isInRegisters);
}

} // namespace hocket
