//===- ResultsInRegisters.cpp - Registers of outstanding results, and their uses -------------------===//
#include "analysis/async/ResultsInRegisters.h"

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace hocket {

using InLoop = GroupsInFlight::InLoop;

// Program order -------------------------------------------------------------------------------------------------------

static unsigned numLoopsAround(Operation *op) {
  unsigned count = 0;
  while ((op = op->getParentOfType<LoopLikeOpInterface>()))
    ++count;
  return count;
}

static Operation *loopAround(Value value) {
  Region *region = value.getParentRegion();
  Operation *parent = region->getParentOp();
  return isa<LoopLikeOpInterface>(parent) ? parent : parent->getParentOfType<LoopLikeOpInterface>();
}

static unsigned numLoopsAround(Value value) {
  Operation *loop = loopAround(value);
  return loop ? numLoopsAround(loop) + 1 : 0;
}

/// True if `user` cannot execute after `op`, except in a later iteration of a loop that contains both.
static bool comesBefore(Operation *user, Operation *op) {
  for (Operation *around = op; around; around = around->getParentOp()) {
    Operation *beside = around->getBlock() ? around->getBlock()->findAncestorOpInBlock(*user) : nullptr;
    if (!beside)
      continue;
    if (beside == around)
      return around != op && around != user && isa<scf::IfOp>(around); // `op` and `user` are in different branches
    return beside->isBeforeInBlock(around);
  }
  return false;
}

/// True if `operand` is the last use of its value, apart from waits, in this iteration of the innermost loop and in the
/// next iteration.
static bool isLastUse(OpOperand &operand) {
  Operation *owner = operand.getOwner();
  Operation *loop = owner->getParentOfType<LoopLikeOpInterface>();
  if (loop != loopAround(operand.get()))
    return false;
  return llvm::all_of(operand.get().getUses(), [&](OpOperand &other) {
    return &other == &operand || isa<hk::AsyncWait>(other.getOwner()) || comesBefore(other.getOwner(), owner);
  });
}

static OpOperand *inPlaceOf(Operation *op) {
  auto results = dyn_cast_or_null<hk::AsyncResults>(op);
  return results ? results.getOperandInPlace() : nullptr;
}

// Held results --------------------------------------------------------------------------------------------------------

bool ResultsInRegisters::hold(Value value, const Holdings &more) {
  if (more.empty())
    return false;
  auto [known, isNew] = held.try_emplace(value);
  if (isNew)
    order.push_back(value);
  bool isChanged = false;
  for (const auto &[key, isCertain] : more) {
    auto [entry, isFirst] = known->second.try_emplace(key, isCertain);
    isChanged |= isFirst || (entry->second && !isCertain);
    entry->second &= isCertain;
  }
  return isChanged;
}

/// Returns the asynchronous results that `value` holds at a program point inside `numLoops` loops. If a loop contains
/// the program point but not the definition of `value`, the results count as started before this loop (`isBefore`).
ResultsInRegisters::Holdings ResultsInRegisters::heldAt(Value value, unsigned numLoops) const {
  auto known = held.find(value);
  if (known == held.end())
    return {};
  Holdings all = known->second;
  for (unsigned depth = numLoopsAround(value); depth < numLoops; ++depth) {
    Holdings deeper;
    for (const auto &[key, isCertain] : all)
      for (uint8_t iteration = 0; iteration <= GroupsInFlight::kFar; ++iteration) {
        auto [start, when] = key;
        when.push_back({.isBefore = true, .iterations = iteration});
        deeper.try_emplace({start, when}, isCertain);
      }
    all = std::move(deeper);
  }
  return all;
}

bool ResultsInRegisters::flowThroughIf(scf::IfOp branch) {
  bool isChanged = false;
  unsigned numLoops = numLoopsAround(branch.getOperation());
  for (unsigned i = 0; i < branch.getNumResults(); ++i) {
    Region *arms[] = {&branch.getThenRegion(), &branch.getElseRegion()};
    Holdings yields[] = {heldAt(branch.thenYield()->getOperand(i), numLoops),
                         heldAt(branch.elseYield()->getOperand(i), numLoops)};
    Holdings all;
    for (unsigned arm : {0, 1})
      for (auto [key, isCertain] : yields[arm])
        all[key] = isCertain && (arms[arm]->isAncestor(key.first->getParentRegion()) || yields[1 - arm].contains(key));
    isChanged |= hold(branch.getResult(i), all);
  }
  return isChanged;
}

/// Propagates the results that values hold around `loop`, from `inits` and `yields` to `args` and to the results of the
/// loop. The block arguments `args` have the values `inits` in the first iteration, and in later iterations the values
/// `yields` of the previous iteration. The results of scf.for are the `yields` of the last iteration, or `inits` if
/// there is no iteration. The caller propagates the results of scf.while, which come from scf.condition.
bool ResultsInRegisters::flowAround(Operation *loop, ValueRange inits, ValueRange args, ValueRange yields) {
  bool isChanged = false;
  unsigned outside = numLoopsAround(loop);
  for (auto [i, init, arg, yield] : llvm::enumerate(inits, args, yields)) {
    Holdings begin = heldAt(init, outside), next = heldAt(yield, outside + 1), entering, exit = begin;
    for (const auto &[key, isCertain] : begin) {
      auto [start, when] = key;
      when.push_back({.isBefore = true, .iterations = 0});
      entering[{start, when}] = isCertain;
    }
    for (const auto &[key, isCertain] : next) {
      auto [start, when] = key;
      when.back().iterations = std::min<uint8_t>(when.back().iterations + 1, GroupsInFlight::kFar);
      entering.try_emplace({start, when}, isCertain);
      when.pop_back();
      exit.try_emplace({start, when}, isCertain);
    }
    isChanged |= hold(arg, entering);
    if (isa<scf::ForOp>(loop))
      isChanged |= hold(loop->getResult(i), exit);
  }
  return isChanged;
}

bool ResultsInRegisters::flowThrough(Operation *op) {
  bool isChanged = false;
  if (isa<hk::AsyncResults>(op)) {
    for (Value result : op->getResults())
      isChanged |= hold(result, {{{op, When(numLoopsAround(op))}, true}});
  } else if (isa<hk::AsyncWait>(op)) {
    for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands()))
      isChanged |= hold(result, heldAt(operand, numLoopsAround(op)));
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (op->getNumResults())
      isChanged = flowThroughIf(branch);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    isChanged = flowAround(op, loop.getInits(), loop.getRegionIterArgs(), loop.getYieldedValues());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    isChanged = flowAround(op, loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp()->getOperands());
    for (auto [i, value] : llvm::enumerate(loop.getConditionOp().getArgs())) {
      Holdings leaving, there = heldAt(value, numLoopsAround(op) + 1);
      isChanged |= hold(loop.getAfterArguments()[i], there);
      for (const auto &[key, isCertain] : there) {
        auto [start, when] = key;
        when.pop_back();
        leaving.try_emplace({start, when}, isCertain);
      }
      isChanged |= hold(op->getResult(i), leaving);
    }
  }
  return isChanged;
}

// Uses ----------------------------------------------------------------------------------------------------------------

/// Returns the first value in the chain of values that share the registers of `value` and may hold outstanding results.
Value ResultsInRegisters::rootOf(Value value) const {
  for (Value next = value; held.contains(next);) {
    value = next;
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::WhileOp>(arg.getOwner()->getParentOp());
      if (!loop || arg.getOwner() != loop.getAfterBody())
        return value;
      next = loop.getConditionOp().getArgs()[arg.getArgNumber()];
      continue;
    }
    Operation *op = value.getDefiningOp();
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (OpOperand *operand = inPlaceOf(op); operand && isLastUse(*operand)) {
      next = operand->get();
    } else if (isa<hk::AsyncWait>(op)) {
      next = op->getOperand(number);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Value root = rootOf(branch.thenYield()->getOperand(number));
      if (root != rootOf(branch.elseYield()->getOperand(number)))
        return value;
      next = root;
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (rootOf(loop.getYieldedValues()[number]) != loop.getRegionIterArg(number))
        return value;
      next = loop.getInits()[number];
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      auto arg = dyn_cast<BlockArgument>(rootOf(loop.getConditionOp().getArgs()[number]));
      if (!arg || arg.getOwner() != loop.getBeforeBody() || rootOf(loop.getYieldedValues()[arg.getArgNumber()]) != arg)
        return value;
      next = loop.getInits()[arg.getArgNumber()];
    } else {
      return value;
    }
  }
  return value;
}

/// True if the region that ends with `yield` must copy the yielded value. A copy is necessary if the value is computed
/// outside of the region, and the other region of `branch` yields a value in different registers.
bool ResultsInRegisters::isCopiedByIf(scf::IfOp branch, OpOperand &yield) const {
  Operation *mine = yield.getOwner();
  Operation *other = mine == branch.thenYield() ? branch.elseYield() : branch.thenYield();
  Value root = rootOf(yield.get());
  return root != rootOf(other->getOperand(yield.getOperandNumber())) &&
         !mine->getParentRegion()->isAncestor(root.getParentRegion());
}

/// True if the two regions of `branch` yield the same two values, one of which is the value of `yield`, in opposite
/// order. One of the regions must then copy both values, whichever registers the results of the scf.if have.
bool ResultsInRegisters::isSwapped(scf::IfOp branch, OpOperand &yield) const {
  Operation *mine = yield.getOwner();
  Operation *other = mine == branch.thenYield() ? branch.elseYield() : branch.thenYield();
  Value root = rootOf(yield.get()), otherRoot = rootOf(other->getOperand(yield.getOperandNumber()));
  return root != otherRoot && llvm::any_of(mine->getOpOperands(), [&](OpOperand &partner) {
           return rootOf(partner.get()) == otherRoot && rootOf(other->getOperand(partner.getOperandNumber())) == root;
         });
}

/// True if an operation that may execute after `start` in the same iteration uses `carried`, a loop-carried variable.
/// If scf.condition passes `carried` to the second region of scf.while and `start` is in this region, uses of the
/// region's block argument count as uses of `carried`.
static bool isUsedAfter(Value carried, Operation *start) {
  return llvm::any_of(carried.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    auto open = isa<scf::ConditionOp>(user) ? cast<scf::WhileOp>(user->getParentOp()) : scf::WhileOp();
    if (open && open.getAfter().isAncestor(start->getParentRegion()))
      return isUsedAfter(open.getAfterArguments()[use.getOperandNumber() - 1], start);
    return user != start && !comesBefore(user, start);
  });
}

/// True if the loop has to copy the value of `yield` into the registers of `carried`. No copy is needed if the value
/// already is in these registers. No copy is needed either if an operation of the loop body starts to compute the value
/// after the last use of `carried`, and the yield is the value's last use.
bool ResultsInRegisters::isCopiedByLoop(Value carried, OpOperand &yield) const {
  Value root = rootOf(yield.get());
  if (root == carried)
    return false;
  Operation *start = root.getDefiningOp();
  bool isFresh = start && loopAround(root) == carried.getParentRegion()->getParentOp();
  return !isFresh || !isLastUse(yield) || isUsedAfter(carried, start);
}

bool ResultsInRegisters::isUse(OpOperand &operand) const {
  Operation *op = operand.getOwner();
  if (isa<hk::AsyncWait>(op))
    return false;
  if (auto results = dyn_cast<hk::AsyncResults>(op);
      results && !llvm::is_contained(results.getRegistersInUse(), operand.get()))
    return results.getOperandInPlace() == &operand && !isLastUse(operand);
  if (isa<scf::ForOp, scf::WhileOp, scf::ConditionOp>(op))
    return !isLastUse(operand);
  if (!isa<scf::YieldOp>(op))
    return true;
  if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()))
    return isCopiedByIf(branch, operand);
  if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
    return isCopiedByLoop(loop.getRegionIterArg(operand.getOperandNumber()), operand);
  if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
    return isCopiedByLoop(loop.getBeforeArguments()[operand.getOperandNumber()], operand);
  return true;
}

bool ResultsInRegisters::mayStayInPlace(OpOperand &yield) const {
  if (auto branch = dyn_cast<scf::IfOp>(yield.getOwner()->getParentOp()))
    return !isSwapped(branch, yield);
  Operation *root = rootOf(yield.get()).getDefiningOp();
  return root && root->getNumRegions();
}

/// Returns the first operation of the chain of pure operations with one operand (such as casts) that computes `value`.
/// For an argument of a loop, returns the terminator of the loop's body.
static Operation *definitionOf(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return isa<LoopLikeOpInterface>(arg.getOwner()->getParentOp()) ? arg.getOwner()->getTerminator() : nullptr;
  Operation *op = value.getDefiningOp();
  while (isPure(op) && !op->getNumRegions() && op->getNumOperands() == 1) {
    Operation *before = op->getOperand(0).getDefiningOp();
    if (!before || before->getBlock() != op->getBlock() || !isa<RankedTensorType>(op->getOperand(0).getType()) ||
        !isPure(before))
      break;
    op = before;
  }
  return op;
}

ResultsInRegisters::ResultsInRegisters(Operation *function) {
  bool isChanged = function->walk([](hk::AsyncResults) { return WalkResult::interrupt(); }).wasInterrupted();
  while (std::exchange(isChanged, false))
    function->walk<WalkOrder::PreOrder>([&](Operation *op) { isChanged |= flowThrough(op); });
  for (Value value : order)
    for (OpOperand &operand : value.getUses())
      if (isUse(operand)) {
        usesOfValue[value].push_back(&operand);
        usedBy[operand.getOwner()].push_back(value);
        if (isa<scf::YieldOp>(operand.getOwner()) && mayStayInPlace(operand))
          mayStay.insert({operand.getOwner(), value});
      }
  if (!order.empty())
    function->walk([&](hk::AsyncResults start) {
      for (Value registers : start.getRegistersInUse())
        if (Operation *definition = definitionOf(registers))
          redefinedBy[definition].push_back(start);
    });
}

Conflict ResultsInRegisters::conflictOf(Operation *op, Operation *start, ArrayRef<InLoop> when) const {
  Conflict most = Conflict::None;
  if (auto found = redefinedBy.find(op); found != redefinedBy.end() && llvm::is_contained(found->second, start))
    most = Conflict::Possible;
  auto used = usedBy.find(op);
  if (used == usedBy.end())
    return most;
  for (Value value : used->second) {
    unsigned numLoops = numLoopsAround(value);
    bool isSinceThen = llvm::all_of(when.drop_front(std::min<size_t>(numLoops, when.size())),
                                    [](const InLoop &inLoop) { return inLoop.isBefore; });
    const Holdings &holdings = held.find(value)->second;
    auto entry = holdings.find({start, When(when.take_front(numLoops))});
    if (isSinceThen && entry != holdings.end())
      most = std::max(most, entry->second && !mayStay.contains({op, value}) ? Conflict::Certain : Conflict::Possible);
  }
  return most;
}

ArrayRef<OpOperand *> ResultsInRegisters::usesOf(Value value) const {
  auto found = usesOfValue.find(value);
  return found == usesOfValue.end() ? ArrayRef<OpOperand *>() : ArrayRef<OpOperand *>(found->second);
}

hk::AsyncResults ResultsInRegisters::anyStartOf(Value value) const {
  return cast<hk::AsyncResults>(held.find(value)->second.begin()->first.first);
}

} // namespace hocket
