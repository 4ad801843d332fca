//===- WarpUniformity.cpp - Scalars that may differ between the warps of a block ---===//
#include "analysis/warp_pipeline/WarpUniformity.h"

#include "dialect/hk/HkDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

namespace {
/// Values to follow backwards, each once.
using Worklist = llvm::SmallSetVector<Value, 16>;
} // namespace

static void addAll(Worklist &worklist, ValueRange values) { worklist.insert(values.begin(), values.end()); }

static void addBounds(Worklist &worklist, scf::ForOp loop) {
  addAll(worklist, {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
}

/// Adds what a variable of a loop may be; nothing for an argument of the kernel.
static void addSources(Worklist &worklist, BlockArgument argument) {
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

/// Adds what `result` is computed from, decisions included.
static void addSources(Worklist &worklist, OpResult result) {
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

static void addSources(Worklist &worklist, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return addSources(worklist, argument);
  addSources(worklist, cast<OpResult>(value));
}

/// The arguments that `pointer` may have come from; null stands for anything else.
static llvm::SmallVector<Value> originsOf(Value pointer) {
  Worklist worklist;
  worklist.insert(pointer);
  llvm::SmallVector<Value> origins;
  for (size_t i = 0; i < worklist.size(); ++i) {
    Value value = worklist[i];
    if (!isa<hk::PointerType>(getElementTypeOrSelf(value.getType())))
      continue;
    if (isa<BlockArgument>(value) && isa<FunctionOpInterface>(value.getParentBlock()->getParentOp()))
      origins.push_back(value);
    else if (isa_and_present<hk::IntToPtrOp, hk::LoadOp>(value.getDefiningOp()))
      origins.push_back(Value());
    else
      addSources(worklist, value);
  }
  return origins;
}

/// Calls `visit` with the pointer of each access of global memory by `op` of the kind `Effect`.
template <typename Effect, typename F>
static void forEachGlobalAccess(Operation *op, F &&visit) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (isa<Effect>(effect.getEffect()) && isa<hk::GlobalMemory>(effect.getResource()) && effect.getValue())
      visit(effect.getValue());
}

WarpUniformity::WarpUniformity(Operation *function) {
  function->walk([&](Operation *op) {
    if (isa<hk::LoadOp>(op)) // a volatile one has the effect of a write, but is none
      return;
    forEachGlobalAccess<MemoryEffects::Write>(op, [&](Value pointer) {
      for (Value origin : originsOf(pointer))
        written.insert(origin);
    });
  });
}

WarpDifference WarpUniformity::differenceMadeBy(Operation *op) const {
  if (auto load = dyn_cast<hk::LoadOp>(op); load && load.getIsVolatile())
    return {op, "a volatile load, which each warp does for itself"};
  if (auto combine = dyn_cast<hk::CombineRegion>(op); combine && !combine.isOneCommutativeOperation())
    return {op, "a reduction by a function that lanes apply in different orders"};
  if (isa<hk::AtomicAccess>(op)) // done once
    return {};
  bool readsWhatIsWritten = false;
  forEachGlobalAccess<MemoryEffects::Read>(op, [&](Value pointer) {
    for (Value origin : originsOf(pointer))
      readsWhatIsWritten |= origin ? written.contains(origin) || written.contains(Value()) : !written.empty();
  });
  if (readsWhatIsWritten)
    return {op, "a load from an array that the kernel writes, which each warp does for itself"};
  return {};
}

WarpDifference WarpUniformity::differenceIn(Value value) const {
  Worklist worklist;
  worklist.insert(value);
  for (size_t i = 0; i < worklist.size(); ++i) {
    if (Operation *op = worklist[i].getDefiningOp())
      if (WarpDifference difference = differenceMadeBy(op))
        return difference;
    if (auto argument = dyn_cast<BlockArgument>(worklist[i]))
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
        addBounds(worklist, loop);
    addSources(worklist, worklist[i]);
  }
  return {};
}

} // namespace hocket
