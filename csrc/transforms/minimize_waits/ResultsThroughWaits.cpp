//===- ResultsThroughWaits.cpp - Routes uses of results through the waits that complete them ---------===//
#include "transforms/minimize_waits/ResultsThroughWaits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "transforms/minimize_waits/WaitNeeds.h"
#include "transforms/minimize_waits/WaitTexts.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace hocket {

void takeResultsOutOfWaits(func::FuncOp function, bool keepsWaits) {
  SmallVector<hk::AsyncWait> waits;
  function.walk([&](hk::AsyncWait wait) { waits.push_back(wait); });
  for (hk::AsyncWait wait : waits) {
    if (wait->getNumResults() == 0)
      continue;
    OpBuilder builder(wait);
    Operation *start = nullptr;
    function.walk([&](hk::AsyncResults results) {
      if (llvm::is_contained(wait.getAwaitedCounters(), results.getCounterOfResults()))
        start = results;
    });
    if (!start && keepsWaits) // the wait returns a value that is not the result of an asynchronous access
      continue;
    wait->replaceAllUsesWith(wait->getOperands());
    if (!start) {
      remarkWeaker(wait, std::nullopt);
      wait->erase();
      continue;
    }
    Operation *bare = cast<hk::AsyncResults>(start).createWait(builder, wait->getLoc(), {}, wait.getOutstanding());
    cast<hk::AsyncWait>(bare).setImplied(wait.getImplied());
    wait->erase();
  }
}

/// True if `op` dominates `user`, in structured control flow.
static bool dominates(Operation *op, Operation *user) {
  Operation *beside = op->getBlock()->findAncestorOpInBlock(*user);
  return beside && beside != op && op->isBeforeInBlock(beside);
}

static bool waitsInside(Operation *op, hk::AsyncCounter counter) {
  return op->walk([&](Operation *inner) { return WalkResult(failure(hk::outstandingOn(inner, counter).has_value())); })
      .wasInterrupted();
}

namespace {
/// The program point at which a use reads its value: at a wait or, if earlier waits have already completed the value,
/// directly before an operation.
struct Place {
  Operation *wait = nullptr, *before = nullptr;
};
} // namespace

static Place placeFor(Value value, Operation *user, hk::AsyncCounter counter) {
  Operation *definition = value.getDefiningOp();
  for (Operation *at = user;; at = at->getParentOp()) {
    for (Operation *op = at->getPrevNode(); op && op != definition; op = op->getPrevNode()) {
      if (hk::outstandingOn(op, counter))
        return {.wait = op};
      if (op->getNumRegions() && waitsInside(op, counter))
        return {.before = op->getNextNode()};
    }
    if (at->getBlock() == value.getParentBlock())
      return {.before = at};
  }
}

/// Returns the value that represents `value` after the wait or before the operation at `place`.
static Value readAt(const Place &place, Value value, hk::AsyncResults start) {
  if (place.before) {
    OpBuilder builder(place.before);
    return start.createFinished(builder, place.before->getLoc(), value);
  }
  Operation *wait = place.wait;
  OpBuilder builder(wait);
  SmallVector<Value> values(wait->getOperands());
  values.push_back(value);
  Operation *wider = start.createWait(builder, wait->getLoc(), values, cast<hk::AsyncWait>(wait).getOutstanding());
  wait->replaceAllUsesWith(wider->getResults().drop_back());
  wait->erase();
  return wider->getResults().back();
}

/// Maps each operation that needs a wait on some path to a number of commit groups. A wait directly before the
/// operation must leave fewer groups in flight than this number.
using EarlyUses = llvm::SmallDenseMap<Operation *, unsigned, 4>;

bool movesResult(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  return op->hasTrait<OpTrait::IsTerminator>() || (select && select.getCondition().getType().isInteger(1));
}

/// Makes `use` read its value directly before the operation to which `use` belongs. If the operation only moves the
/// value to other registers, a wait is inserted before the operation.
static void readAtUse(OpOperand &use, unsigned age, hk::AsyncResults start) {
  Operation *user = use.getOwner();
  OpBuilder builder(user);
  if (!movesResult(user))
    return use.set(start.createFinished(builder, user->getLoc(), use.get()));
  Operation *wait = start.createWait(builder, user->getLoc(), use.get(), std::max(age, 1u) - 1);
  use.set(wait->getResult(0));
}

static EarlyUses findEarly(func::FuncOp function, const AsyncUses &uses) {
  EarlyUses early;
  for (const WaitNeed &need : WaitNeeds(function.getBody(), uses, ArrayRef<hk::AsyncCounter>()).find())
    if (need.isInRegisters) {
      unsigned &age = early.try_emplace(need.op, need.age).first->second;
      age = std::min(age, need.age);
    }
  return early;
}

void putResultsThroughWaits(func::FuncOp function, const AsyncUses &asyncUses, bool mayBeEarly) {
  const ResultsInRegisters &results = asyncUses.inRegisters();
  if (results.values().empty())
    return;
  EarlyUses early;
  if (mayBeEarly)
    early = findEarly(function, asyncUses);
  DenseMap<Operation *, unsigned> order;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { order.try_emplace(op, order.size()); });
  for (Value value : results.values()) {
    SmallVector<OpOperand *> uses(results.usesOf(value));
    llvm::sort(uses, [&](OpOperand *a, OpOperand *b) { return order[a->getOwner()] < order[b->getOwner()]; });
    hk::AsyncResults start = results.anyStartOf(value);
    for (OpOperand *use : uses) {
      if (auto found = early.find(use->getOwner()); found != early.end()) {
        readAtUse(*use, found->second, start);
        continue;
      }
      if (use->get() != value)
        continue;
      Value read = readAt(placeFor(value, use->getOwner(), start.getCounterOfResults()), value, start);
      value.replaceUsesWithIf(read,
                              [&](OpOperand &other) { return dominates(read.getDefiningOp(), other.getOwner()); });
    }
  }
}

} // namespace hocket
