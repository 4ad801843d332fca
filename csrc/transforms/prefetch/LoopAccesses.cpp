//===- LoopAccesses.cpp - Memory accesses of the operations of a loop ---------------===//
#include "transforms/prefetch/LoopAccesses.h"

#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket::prefetch {

static void addEffect(const MemoryEffects::EffectInstance &instance, Accesses &accesses) {
  bool reads = isa<MemoryEffects::Read>(instance.getEffect()), writes = isa<MemoryEffects::Write>(instance.getEffect());
  if (instance.getResource() == hk::GlobalMemory::get() && (reads || writes))
    (reads ? accesses.readsGlobal : accesses.writesGlobal) = true;
  else if (hk::isOnMemorySpace(instance))
    (reads ? accesses.readsBuffer : writes ? accesses.writesBuffer : accesses.allocates) = true;
  else if (instance.getResource() == hk::Messages::get())
    accesses.tells = true;
  else
    accesses.isUnknown = true;
}

/// Returns the effects of `op` and of the operations in its regions; nullopt if the effects are unknown. Scheduling
/// barriers, commits and waits in the regions do not count: they access no memory, and the operation moves as a whole.
static std::optional<SmallVector<MemoryEffects::EffectInstance>> effectsOf(Operation *op) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  bool isKnown = true;
  op->walk([&](Operation *inner) {
    if (inner != op && isa<hk::SchedBarrierOp, hk::AsyncCommit, hk::AsyncWait>(inner))
      return;
    if (auto memory = dyn_cast<MemoryEffectOpInterface>(inner))
      memory.getEffects(effects);
    else
      isKnown &= inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  });
  return isKnown ? std::optional(std::move(effects)) : std::nullopt;
}

namespace {
/// The counters whose groups are complete at the end of an operation, if they are committed before a program point.
struct Awaited {
  SmallVector<hk::AsyncCounter, 2> byWaits;
  /// Counters that are committed after the program point, and then awaited.
  SmallVector<hk::AsyncCounter, 2> afterCommits;
};
} // namespace

/// True if the asynchronous accesses in `block` are committed and complete at a later point, which `awaited` describes
/// for the end of the block. A later iteration of a loop only adds further waits, so each block is read once.
static bool areComplete(Block &block, Awaited awaited) {
  for (Operation &op : llvm::reverse(block)) {
    if (auto wait = dyn_cast<hk::AsyncWait>(op); wait && wait.getOutstanding() == 0)
      llvm::append_range(awaited.byWaits, wait.getAwaitedCounters());
    if (auto commit = dyn_cast<hk::AsyncCommit>(op))
      for (hk::AsyncCounter counter : commit.getCommittedCounters()) {
        if (!llvm::is_contained(awaited.byWaits, counter))
          return false;
        awaited.afterCommits.push_back(counter);
      }
    if (auto access = dyn_cast<hk::AsyncAccess>(op))
      for (Value operand : op.getOperands()) {
        hk::Completion completion = access.getCompletionOf(operand);
        std::optional<hk::AsyncCounter> counter = completion.getCounter();
        if (completion.isAsync() && (!counter || !llvm::is_contained(awaited.afterCommits, *counter)))
          return false;
      }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (!areComplete(inner, awaited))
          return false;
  }
  return true;
}

/// True if the asynchronous accesses in the regions of `op` are complete after `op`.
static bool completesAccessesInRegions(Operation *op) {
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return llvm::all_of(region, [](Block &block) { return areComplete(block, {}); });
  });
}

Accesses accessesOf(Operation *op) {
  Accesses accesses;
  // hk.assume must keep its position, but accesses no memory.
  if (isa<hk::AssumeOp>(op))
    return accesses;
  accesses.isAsync = isa<hk::AsyncAccess, hk::AsyncCommit, hk::AsyncWait>(op);
  // Commits and waits have effects only to prevent reordering, but access no memory.
  if (accesses.isAsync && !isa<hk::AsyncAccess>(op))
    return accesses;
  if (!copiesInBranch(op).empty())
    accesses.isAsync = true;
  accesses.isUnknown = !accesses.isAsync && !completesAccessesInRegions(op);
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = effectsOf(op);
  accesses.isUnknown |= !effects;
  if (effects)
    for (const MemoryEffects::EffectInstance &instance : *effects)
      addEffect(instance, accesses);
  return accesses;
}

Value filledTile(Operation *op) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return {};
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffects(effects);
  llvm::SmallSetVector<Value, 1> tiles;
  for (const MemoryEffects::EffectInstance &instance : effects)
    if (isa<MemoryEffects::Write>(instance.getEffect()) && hk::isOnMemorySpace(instance))
      tiles.insert(instance.getValue());
  return tiles.size() == 1 ? tiles.front() : Value();
}

SmallVector<Operation *, 1> copiesInBranch(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  SmallVector<Operation *, 1> copies;
  if (!branch || branch.getNumResults() > 0 || !branch.getElseRegion().empty())
    return copies;
  for (Operation &inner : branch.thenBlock()->without_terminator()) {
    if (isMemoryEffectFree(&inner) && inner.getNumRegions() == 0)
      continue;
    std::optional<hk::AsyncCounter> counter = completionOfFill(&inner).getCounter();
    if (!counter || (!copies.empty() && completionOfFill(copies.front()).getCounter() != counter))
      return {};
    copies.push_back(&inner);
  }
  return copies;
}

hk::Completion completionOfFill(Operation *op) {
  if (SmallVector<Operation *, 1> copies = copiesInBranch(op); !copies.empty())
    return completionOfFill(copies.front());
  auto async = dyn_cast<hk::AsyncAccess>(op);
  Value tile = async ? filledTile(op) : Value();
  return tile ? async.getCompletionOf(tile) : hk::Completion();
}

llvm::SmallPtrSet<Operation *, 4> buffersOf(Operation *op) {
  llvm::SmallPtrSet<Operation *, 4> buffers;
  op->walk([&](Operation *inner) {
    auto memory = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!memory)
      return;
    SmallVector<MemoryEffects::EffectInstance> effects;
    memory.getEffects(effects);
    for (const MemoryEffects::EffectInstance &instance : effects)
      if (hk::isOnMemorySpace(instance))
        buffers.insert(instance.getValue() ? hk::bufferOf(instance.getValue()).getOperation() : nullptr);
  });
  return buffers;
}

bool mayShareBuffer(Operation *a, Operation *b) {
  llvm::SmallPtrSet<Operation *, 4> mine = buffersOf(a), theirs = buffersOf(b);
  if (mine.empty() || theirs.empty())
    return false;
  if (mine.contains(nullptr) || theirs.contains(nullptr))
    return true;
  return llvm::any_of(mine, [&](Operation *buffer) { return theirs.contains(buffer); });
}

SmallVector<Value> usedValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  values.append(captured.begin(), captured.end());
  return values;
}

} // namespace hocket::prefetch
