//===- ValueSources.cpp - Sources that a value is computed from -------------------===//
#include "analysis/global/ValueSources.h"

#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace hocket {

static void addAll(ValueWorklist &worklist, ValueRange values) { worklist.insert(values.begin(), values.end()); }

static void addBounds(ValueWorklist &worklist, scf::ForOp loop) {
  addAll(worklist, {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
}

/// Adds the values that may be passed to a block argument; adds nothing for an argument of the kernel.
static void addSources(ValueWorklist &worklist, BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (number == 0)
      return addBounds(worklist, loop);
    addAll(worklist, {loop.getInitArgs()[number - 1], loop.getYieldedValues()[number - 1]});
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getBeforeBody())
      addAll(worklist, {loop.getInits()[number], loop.getYieldOp().getOperand(number)});
    else
      worklist.insert(loop.getConditionOp().getArgs()[number]);
  }
}

/// Adds the values from which `result` is computed, including the conditions of branches and loops that select the
/// value.
static void addSources(ValueWorklist &worklist, OpResult result) {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  addAll(worklist, op->getOperands());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    worklist.insert(loop.getYieldedValues()[number]);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    addAll(worklist, {loop.getConditionOp().getCondition(), loop.getConditionOp().getArgs()[number]});
  if (auto branch = dyn_cast<scf::IfOp>(op))
    addAll(worklist, {branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)});
}

void addSources(ValueWorklist &worklist, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return addSources(worklist, argument);
  addSources(worklist, cast<OpResult>(value));
}

/// True if `op` converts an integer to a pointer, or loads a pointer from memory.
static bool isMadeOfMemory(Operation *op) {
  return isa<hk::IntToPtrOp>(op) || (op->getNumRegions() == 0 && !isMemoryEffectFree(op));
}

llvm::SmallVector<Value> originsOf(Value pointer) {
  ValueWorklist worklist;
  worklist.insert(pointer);
  llvm::SmallVector<Value> origins;
  for (size_t i = 0; i < worklist.size(); ++i) {
    Value value = hk::lookThroughRegions(worklist[i]);
    if (!isa<hk::PointerType>(getElementTypeOrSelf(value.getType())))
      continue;
    if (isa<BlockArgument>(value) && isa<FunctionOpInterface>(value.getParentBlock()->getParentOp()))
      origins.push_back(value);
    else if (Operation *op = value.getDefiningOp(); op && isMadeOfMemory(op))
      origins.push_back(Value());
    else
      addSources(worklist, value);
  }
  return origins;
}

bool mayBeOfOneArray(Value a, Value b) {
  SmallVector<Value> mine = originsOf(a), theirs = originsOf(b);
  if (llvm::is_contained(mine, Value()))
    return !theirs.empty();
  return llvm::any_of(theirs, [&](Value origin) { return origin ? llvm::is_contained(mine, origin) : !mine.empty(); });
}

} // namespace hocket
