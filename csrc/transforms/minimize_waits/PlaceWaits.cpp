//===- PlaceWaits.cpp - Inserts waits for accesses that the program uses without a wait ------------===//
#include "transforms/minimize_waits/PlaceWaits.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket {

namespace {
struct Placement {
  Operation *before = nullptr;
  unsigned outstanding = 0;
  hk::AsyncCounter counter;

  void merge(const Placement &other) { outstanding = std::min(outstanding, other.outstanding); }
};
} // namespace

static bool commitsInside(Operation *op, hk::AsyncCounter counter) {
  return op->walk([&](Operation *inner) { return WalkResult(failure(hk::commitsOn(inner, counter))); })
      .wasInterrupted();
}

static bool commitsBetween(Operation *first, Operation *last, hk::AsyncCounter counter) {
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (commitsInside(op, counter))
      return true;
  return false;
}

/// Moves `wait` before the outermost loop that contains `wait` but no commit on the counter of `wait`.
static void leaveLoops(Placement &wait) {
  for (Operation *loop = wait.before->getParentOfType<LoopLikeOpInterface>();
       loop && !commitsInside(loop, wait.counter); loop = loop->getParentOfType<LoopLikeOpInterface>())
    wait.before = loop;
}

/// Moves `wait` before an mbarrier arrival if only scalar operations are in between. The arrival synchronizes the warps
/// anyway, and a wait after the arrival might require another synchronization.
static void moveBeforeArrival(Placement &wait) {
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  for (Operation *op = wait.before->getPrevNode(); op; op = op->getPrevNode()) {
    auto barrier = dyn_cast<hk::SharedBarrierUse>(op);
    if (op->getNumRegions() || isa<hk::StageBeginOp, hk::StageEndOp, hk::NamedBarrierUse>(op) ||
        hk::commitsOn(op, wait.counter) || llvm::any_of(op->getResultTypes(), isTile) ||
        (barrier && !barrier.signalsAll()))
      return;
    if (barrier)
      wait.before = op;
  }
}

/// Returns an scf.if around `wait` before which one wait can replace both `wait` and `other`; null if there is none.
/// `other` must be in the other branch of this scf.if, or after the scf.if. Neither the scf.if nor, if `other` is after
/// the scf.if, the code up to `other` contains a commit.
static scf::IfOp sharedIf(const Placement &wait, const Placement &other) {
  for (auto branch = wait.before->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>()) {
    if (commitsInside(branch, wait.counter))
      return {};
    Region *mine = branch->getBlock()->getParent(), *own = wait.before->getParentRegion();
    if (branch->isProperAncestor(other.before)) {
      Region &then = branch.getThenRegion();
      return then.isAncestor(own) != then.isAncestor(other.before->getParentRegion()) ? branch : scf::IfOp();
    }
    if (!mine->isAncestor(other.before->getParentRegion()))
      continue;
    Operation *after = branch->getBlock()->findAncestorOpInBlock(*other.before);
    if (branch->isBeforeInBlock(after) && after == other.before && !commitsBetween(branch, after, wait.counter))
      return branch;
  }
  return {};
}

/// Replaces two of `waits` by one wait; returns false if no two waits can be replaced.
static bool mergeTwo(SmallVectorImpl<Placement> &waits) {
  for (Placement &wait : waits)
    for (Placement &other : waits) {
      if (&wait == &other || !(wait.counter == other.counter))
        continue;
      scf::IfOp above = wait.before == other.before ? scf::IfOp() : sharedIf(wait, other);
      if (wait.before != other.before && !above)
        continue;
      wait.merge(other);
      if (above)
        wait.before = above;
      waits.erase(&other);
      return true;
    }
  return false;
}

static Operation *createWait(const Placement &wait, const AsyncUses &uses) {
  OpBuilder builder(wait.before);
  Location loc = wait.before->getLoc();
  if (wait.counter == hk::kCopyGroups)
    return hk::AsyncWaitGroupOp::create(builder, loc, wait.outstanding);
  auto isOnCounter = [&](const AsyncUses::Start &start) { return start.counter == wait.counter; };
  auto start = cast<hk::AsyncResults>(llvm::find_if(uses.starts(), isOnCounter)->op);
  return start.createWait(builder, loc, {}, wait.outstanding);
}

llvm::SmallPtrSet<Operation *, 4> placeWaits(ArrayRef<WaitNeed> needs, const AsyncUses &uses,
                                             ArrayRef<hk::AsyncCounter> counters) {
  SmallVector<Placement> waits;
  for (const WaitNeed &need : needs)
    if (llvm::is_contained(counters, need.counter)) {
      Placement wait{need.op, std::max(need.age, 1u) - 1, need.counter};
      leaveLoops(wait);
      if (!need.isInRegisters)
        moveBeforeArrival(wait);
      auto same = llvm::find_if(
          waits, [&](const Placement &other) { return other.before == wait.before && other.counter == wait.counter; });
      if (same == waits.end())
        waits.push_back(wait);
      else
        same->merge(wait);
    }
  while (mergeTwo(waits))
    ;
  llvm::SmallPtrSet<Operation *, 4> placed;
  for (const Placement &wait : waits)
    placed.insert(createWait(wait, uses));
  return placed;
}

} // namespace hocket
