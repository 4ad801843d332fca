//===- SyncRecord.cpp - Records the operations that a wait, fence or barrier orders -----------------===//
#include "transforms/SyncRecord.h"

#include "dialect/hk/facts/AsyncResults.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace hocket {

void recordSync(Operation *op, const SyncRecord &record) {
  auto module = op->getParentOfType<ModuleOp>();
  std::string earlier, later;
  LocationAttr earlierAt, laterAt;
  if (record.earlier && record.later) {
    earlier = wordsFor(record.earlier);
    earlierAt = record.earlier->getLoc();
    later = record.laterWords.empty() ? wordsFor(record.later) : record.laterWords;
    laterAt = record.later->getLoc();
  }
  SmallVector<hk::SyncSiteAttr, 4> all = hk::kSynchronizationAttr.get(module);
  all.push_back(hk::SyncSiteAttr::get(op->getContext(), record.what, record.at, record.isWritten, earlier, earlierAt,
                                      later, laterAt, record.why));
  hk::kSynchronizationAttr.set(module, all);
}

static bool hasEffect(Operation *op, bool writes, SideEffects::Resource *on) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffects(effects);
  return llvm::any_of(effects, [&](const MemoryEffects::EffectInstance &effect) {
    bool isWrite = isa<MemoryEffects::Write>(effect.getEffect());
    return isWrite == writes && effect.getResource() == on && effect.getValue();
  });
}

/// Returns the memory space that `op` writes or reads through a handle; null if there is none.
static hk::MemorySpace spaceAccessed(Operation *op, bool writes) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (auto memory = dyn_cast<MemoryEffectOpInterface>(op))
    memory.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    auto handle = effect.getValue() ? dyn_cast<hk::MemDescType>(effect.getValue().getType()) : hk::MemDescType();
    if (handle && isa<MemoryEffects::Write>(effect.getEffect()) == writes && hk::isOnMemorySpace(effect))
      return handle.getSpace();
  }
  return {};
}

std::string wordsFor(Operation *op) {
  if (isa<func::ReturnOp>(op))
    return "end of the kernel";
  if (isa<hk::WarpYieldOp, hk::WorkerEndOp>(op))
    return "end of the partition";
  if (isa<LoopLikeOpInterface>(op))
    return "loop";
  if (op->hasTrait<OpTrait::IsTerminator>())
    return "end of the iteration";
  if (isa<hk::AsyncResults>(op))
    return "asynchronous MMA";
  if (isa<hk::AsyncAccess>(op) && isa<hk::SharedBarrierUse>(op))
    return "asynchronous store";
  if (auto named = dyn_cast<hk::NamedBarrierUse>(op))
    return named.waits() ? "wait at a named barrier" : "arrival at a named barrier";
  if (auto barrier = dyn_cast<hk::SharedBarrierUse>(op)) {
    if (barrier.signalsAll())
      return "arrival at an mbarrier";
    return barrier.getAwaitedPhase() ? "wait for an mbarrier" : "change of an mbarrier";
  }
  hk::MemorySpace written = spaceAccessed(op, /*writes=*/true), read = spaceAccessed(op, /*writes=*/false);
  if (written)
    return (isa<hk::AsyncAccess>(op) ? "copy into " : "store to ") + written.getName().str();
  if (read)
    return (isa<hk::AsyncAccess>(op) ? "copy out of " : "load from ") + read.getName().str();
  if (isa<hk::BarrierOp>(op))
    return "barrier";
  if (isa<hk::UsesScratch>(op) && op->getNumResults())
    return "exchange between warps";
  if (isa<hk::AtomicAccess>(op))
    return "atomic operation";
  if (hasEffect(op, /*writes=*/true, hk::GlobalMemory::get()))
    return "store";
  if (hasEffect(op, /*writes=*/false, hk::GlobalMemory::get()))
    return "load";
  return "use of the result";
}

} // namespace hocket
