//===- FlattenedNest.cpp - Flattens a loop around a loop that copies tiles ------------===//
#include "transforms/prefetch/FlattenedNest.h"

#include "dialect/hk/facts/Facts.h"
#include "transforms/prefetch/LoopAccesses.h"
#include "transforms/prefetch/PipelinedLoop.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket::prefetch {

// Checks --------------------------------------------------------------------------------------------------------------

scf::ForOp innerLoopOf(scf::ForOp outer) {
  scf::ForOp found;
  for (auto loop : outer.getOps<scf::ForOp>()) {
    if (found)
      return {};
    found = loop;
  }
  return found;
}

/// Returns the operations of the body of `outer` that use results of `inner`, directly or indirectly.
static llvm::SetVector<Operation *> usersOfResults(scf::ForOp outer, scf::ForOp inner) {
  llvm::SetVector<Operation *> users;
  for (Operation &op : outer.getBody()->without_terminator())
    if (llvm::any_of(usedValues(&op), [&](Value value) {
          Operation *from = value.getDefiningOp();
          return from && (from == inner || users.contains(from));
        }))
      users.insert(&op);
  return users;
}

static bool accessesNothing(Operation *op) { return isMemoryEffectFree(op); }

/// Returns the operations that are executed after the inner loop: users of its results, and operations with effects
/// that follow the inner loop, with their users.
static llvm::SetVector<Operation *> operationsAfter(scf::ForOp outer, scf::ForOp inner) {
  llvm::SetVector<Operation *> after = usersOfResults(outer, inner);
  for (Operation &op : outer.getBody()->without_terminator())
    if (&op != inner && (!accessesNothing(&op) || llvm::any_of(usedValues(&op), [&](Value value) {
          return value.getDefiningOp() && after.contains(value.getDefiningOp());
        })))
      after.insert(&op);
  return after;
}

/// True if the loop has no attributes other than its number of stages. Other attributes request transformations of
/// this loop, or describe the order of its iterations.
static bool isPlain(scf::ForOp loop) {
  return llvm::all_of(loop->getDiscardableAttrs(),
                      [](NamedAttribute attr) { return attr.getName() == hk::kNumStagesAttr.getName(); });
}

/// True if `value` can be computed before `outer`.
static bool isInvariant(Value value, scf::ForOp outer) {
  if (!outer.getBodyRegion().isAncestor(value.getParentRegion()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand, outer); });
}

/// Moves the operations that compute `value`, an invariant, before `outer`.
static void hoist(Value value, scf::ForOp outer) {
  Operation *op = value.getDefiningOp();
  if (!op || !outer->isProperAncestor(op))
    return;
  for (Value operand : op->getOperands())
    hoist(operand, outer);
  op->moveBefore(outer);
}

static std::array<Value, 3> boundsOf(scf::ForOp loop) {
  return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
}

StringRef whyNotFlattened(scf::ForOp outer) {
  scf::ForOp inner = innerLoopOf(outer);
  if (!inner)
    return "it does not have exactly one inner loop";
  if (!isPlain(outer) || !isPlain(inner))
    return "a loop of the nest has further options";
  if (!llvm::all_of(boundsOf(inner), [&](Value bound) { return isInvariant(bound, outer); }))
    return "the bounds of the inner loop differ between iterations of the outer loop";
  for (Operation *op : operationsAfter(outer, inner))
    if (op->isBeforeInBlock(inner))
      return "the outer loop accesses memory before its inner loop";
  return "";
}

// The new loop --------------------------------------------------------------------------------------------------------

namespace {
class NestBuilder {
public:
  explicit NestBuilder(scf::ForOp outer)
      : outer(outer), inner(innerLoopOf(outer)), after(operationsAfter(outer, inner)), builder(outer),
        loc(outer.getLoc()) {
    findShared();
  }
  std::pair<scf::IfOp, scf::ForOp> build();

private:
  void findShared();
  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  }
  Value asLong(Value number);
  Value indexOf(scf::ForOp loop, Value number);
  Value merge(Value condition, Value then, Value otherwise);
  void cloneBefore(IRMapping &values);
  scf::ForOp buildLoop(Value outerTrips, Value innerTrips);
  void buildBody(scf::ForOp loop, Value innerTrips);
  SmallVector<Value> buildAfter(IRMapping &values, Value isLast, ArrayRef<Value> carried);
  SmallVector<Value> buildWithoutInner();
  bool isComputedAfter(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && (op == inner || after.contains(op));
  }

  scf::ForOp outer, inner;
  llvm::SetVector<Operation *> after;
  OpBuilder builder;
  Location loc;
  /// For each variable of the inner loop: the number of the variable of the outer loop that is the same variable of
  /// the new loop, or -1.
  SmallVector<int> sharedWith;
};
} // namespace

/// Finds variables that the outer loop only passes to the inner loop and receives from it.
void NestBuilder::findShared() {
  for (auto [number, init] : llvm::enumerate(inner.getInitArgs())) {
    auto variable = dyn_cast<BlockArgument>(init);
    bool isShared = variable && variable.getOwner() == outer.getBody() && variable != outer.getInductionVar() &&
                    variable.hasOneUse() && outer.getTiedLoopYieldedValue(variable)->get() == inner.getResult(number);
    sharedWith.push_back(isShared ? int(variable.getArgNumber()) - int(outer.getNumInductionVars()) : -1);
  }
}

/// Converts `number` to 64 bits, so that two trip counts of 32 bits can be multiplied without overflow.
Value NestBuilder::asLong(Value number) {
  Type type = builder.getI64Type();
  return number.getType() == type ? number : arith::ExtUIOp::create(builder, loc, type, number);
}

/// Returns the value of the loop's induction variable in iteration `number`.
Value NestBuilder::indexOf(scf::ForOp loop, Value number) {
  Value distance = arith::MulIOp::create(builder, loc, number, loop.getStep());
  return arith::AddIOp::create(builder, loc, loop.getLowerBound(), distance);
}

Value NestBuilder::merge(Value condition, Value then, Value otherwise) {
  return then == otherwise ? then : arith::SelectOp::create(builder, loc, condition, then, otherwise);
}

/// Clones the operations that are repeated in each iteration.
void NestBuilder::cloneBefore(IRMapping &values) {
  for (Operation &op : outer.getBody()->without_terminator())
    if (&op != inner && !after.contains(&op))
      builder.clone(op, values);
}

/// Clones the operations after the inner loop under the condition `isLast`. Returns the next values of the outer
/// loop's variables, whose values of this iteration are `carried`.
SmallVector<Value> NestBuilder::buildAfter(IRMapping &values, Value isLast, ArrayRef<Value> carried) {
  SmallVector<Value> next(carried);
  SmallVector<unsigned> computed;
  SmallVector<Type> types;
  for (auto [number, yielded] : llvm::enumerate(outer.getYieldedValues())) {
    if (llvm::is_contained(sharedWith, int(number)))
      next[number] = values.lookup(yielded);
    else if (!isComputedAfter(yielded))
      next[number] = merge(isLast, values.lookupOrDefault(yielded), carried[number]);
    else {
      computed.push_back(number);
      types.push_back(yielded.getType());
    }
  }
  if (computed.empty() && after.empty())
    return next;
  auto branch = scf::IfOp::create(builder, loc, types, isLast, /*withElseRegion=*/!types.empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  for (Operation &op : outer.getBody()->without_terminator())
    if (after.contains(&op))
      builder.clone(op, values);
  if (types.empty())
    return next;
  scf::YieldOp::create(builder, loc, llvm::map_to_vector(computed, [&](unsigned number) {
                         return values.lookupOrDefault(outer.getYieldedValues()[number]);
                       }));
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, llvm::map_to_vector(computed, [&](unsigned number) { return carried[number]; }));
  for (auto [number, result] : llvm::zip(computed, branch.getResults()))
    next[number] = result;
  return next;
}

/// Builds the body. The new loop carries the numbers of the iterations of both loops, the variables of the outer loop,
/// and the variables of the inner loop that are not shared.
void NestBuilder::buildBody(scf::ForOp loop, Value innerTrips) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  IRMapping values;
  Value outerNumber = loop.getRegionIterArg(0), number = loop.getRegionIterArg(1);
  SmallVector<Value> carried(loop.getRegionIterArgs().slice(2, outer.getNumRegionIterArgs()));
  values.map(outer.getInductionVar(), indexOf(outer, outerNumber));
  values.map(outer.getRegionIterArgs(), carried);
  cloneBefore(values);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number, constant(number.getType(), 0));
  Value next = arith::AddIOp::create(builder, loc, number, constant(number.getType(), 1));
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, next, innerTrips);

  values.map(inner.getInductionVar(), indexOf(inner, number));
  unsigned own = 2 + outer.getNumRegionIterArgs();
  for (auto [shared, init, variable] : llvm::zip(sharedWith, inner.getInitArgs(), inner.getRegionIterArgs()))
    values.map(variable, shared >= 0 ? carried[shared]
                                     : merge(isFirst, values.lookupOrDefault(init), loop.getRegionIterArg(own++)));
  for (Operation &op : inner.getBody()->without_terminator())
    builder.clone(op, values);
  SmallVector<Value> ownNext;
  for (auto [shared, yielded, result] : llvm::zip(sharedWith, inner.getYieldedValues(), inner.getResults())) {
    values.map(result, values.lookupOrDefault(yielded));
    if (shared < 0)
      ownNext.push_back(values.lookup(result));
  }

  Value advanced = arith::AddIOp::create(builder, loc, outerNumber, constant(outerNumber.getType(), 1));
  SmallVector<Value> yielded{merge(isLast, advanced, outerNumber), merge(isLast, constant(number.getType(), 0), next)};
  yielded.append(buildAfter(values, isLast, carried));
  yielded.append(ownNext);
  scf::YieldOp::create(builder, loc, yielded);
}

scf::ForOp NestBuilder::buildLoop(Value outerTrips, Value innerTrips) {
  SmallVector<Value> initial{constant(outerTrips.getType(), 0), constant(innerTrips.getType(), 0)};
  initial.append(outer.getInitArgs().begin(), outer.getInitArgs().end());
  // Each iteration of the outer loop replaces the variables of the inner loop. Their initial values are therefore
  // arbitrary, and are those of the first iteration.
  IRMapping first;
  first.map(outer.getInductionVar(), outer.getLowerBound());
  first.map(outer.getRegionIterArgs(), outer.getInitArgs());
  cloneBefore(first);
  for (auto [shared, init] : llvm::zip(sharedWith, inner.getInitArgs()))
    if (shared < 0)
      initial.push_back(first.lookupOrDefault(init));
  Value trips = arith::MulIOp::create(builder, loc, asLong(outerTrips), asLong(innerTrips));
  Value zero = constant(trips.getType(), 0), one = constant(trips.getType(), 1);
  auto loop = scf::ForOp::create(builder, loc, zero, trips, one, initial);
  if (!loop.getBody()->empty()) // scf::ForOp::create has inserted a terminator
    loop.getBody()->getTerminator()->erase();
  buildBody(loop, innerTrips);
  return loop;
}

/// Builds the outer loop for an inner loop without iterations. Returns the results.
SmallVector<Value> NestBuilder::buildWithoutInner() {
  auto clone = cast<scf::ForOp>(builder.clone(*outer));
  hk::kNumStagesAttr.remove(clone);
  scf::ForOp skipped = innerLoopOf(clone);
  skipped->replaceAllUsesWith(skipped.getInitArgs());
  skipped->erase();
  return SmallVector<Value>(clone->getResults());
}

std::pair<scf::IfOp, scf::ForOp> NestBuilder::build() {
  for (Value bound : boundsOf(inner))
    hoist(bound, outer);
  Value outerTrips = countTrips(builder, outer), innerTrips = countTrips(builder, inner);
  Value none = constant(innerTrips.getType(), 0);
  Value runs = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, innerTrips, none);
  auto branch = scf::IfOp::create(builder, loc, outer.getResultTypes(), runs, /*withElseRegion=*/true);
  scf::ForOp loop;
  fillBranch(builder, branch, [&](bool isThen) {
    if (!isThen)
      return buildWithoutInner();
    loop = buildLoop(outerTrips, innerTrips);
    return SmallVector<Value>(loop.getResults().slice(2, outer.getNumResults()));
  });
  return {branch, loop};
}

// Replacement ---------------------------------------------------------------------------------------------------------

FlattenedNest::FlattenedNest(scf::ForOp outer) : outer(outer) {
  std::tie(branch, loop) = NestBuilder(outer).build();
  outer->replaceAllUsesWith(branch.getResults());
  outer->remove();
}

void FlattenedNest::keep() { outer->destroy(); }

void FlattenedNest::undo() {
  OpBuilder(branch).insert(outer);
  branch->replaceAllUsesWith(outer.getResults());
  branch->erase();
}

} // namespace hocket::prefetch
