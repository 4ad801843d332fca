//===- ProxyAccesses.cpp - Identifies generic stores and async accesses of the same memory -===//
#include "transforms/proxy_fences/ProxyAccesses.h"

#include "analysis/global/ValueSources.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace hocket {

/// Returns the operands through which `op` accesses global memory: pointers and tensor descriptors.
static SmallVector<Value, 1> globalOperands(Operation *op, bool writes) {
  SmallVector<Value, 1> operands;
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return operands;
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (effect.getResource() == hk::GlobalMemory::get() && effect.getValue() &&
        isa<MemoryEffects::Write>(effect.getEffect()) == writes)
      operands.push_back(effect.getValue());
  return operands;
}

static bool isPointer(Value value) { return isa<hk::PointerType>(getElementTypeOrSelf(value.getType())); }

/// Returns the pointers from which the descriptor `desc` is built. A null element means a descriptor that is a kernel
/// argument.
static SmallVector<Value> basesOf(Value desc) {
  ValueWorklist worklist;
  worklist.insert(desc);
  SmallVector<Value> bases;
  for (size_t i = 0; i < worklist.size(); ++i) {
    Value value = hk::lookThroughRegions(worklist[i]);
    if (isPointer(value))
      bases.push_back(value);
    else if (value.getType() != desc.getType())
      continue;
    else if (isa<BlockArgument>(value) && isa<FunctionOpInterface>(value.getParentBlock()->getParentOp()))
      bases.push_back(Value());
    else
      addSources(worklist, value);
  }
  return bases;
}

/// True if `op` writes single integers, such as counters or flags, which bulk copies do not access.
static bool isOfCounter(Operation *op, Value pointer) {
  auto scalar = dyn_cast<hk::PointerType>(pointer.getType());
  return isa<hk::AtomicAccess>(op) && scalar && scalar.getPointee().isInteger();
}

/// True if `pointer` possibly points into the tensor that `desc` describes. A descriptor that is a kernel argument can
/// describe any array.
static bool mayBeOfOneTensor(Value pointer, Value desc) {
  return llvm::any_of(basesOf(desc), [&](Value base) { return !base || mayBeOfOneArray(pointer, base); });
}

/// True if `use` is a write through the generic proxy, to memory that the async proxy can access, too.
static bool isGenericWrite(const MemoryUse &use) {
  return use.writes && !use.completion.isAsync() && use.getSpace().needsProxyFences();
}

ProxyAccesses::ProxyAccesses(func::FuncOp function) : aliases(function) {
  function.walk([&](Operation *op) {
    bool isAsyncProxy = isa<hk::AsyncProxyAccess>(op);
    for (const MemoryUse &use : aliases.usesOf(op))
      for (const MemoryRegion &region : use.regions)
        if (use.writes && use.completion.isAsync() && !isAsyncProxy)
          ownersCopiedTo.insert(region.getOwner());
    if (isa<hk::AsyncAccess>(op) && isa<hk::SharedBarrierUse>(op))
      remoteStores.push_back(op);
    if (!isAsyncProxy)
      addStores(op);
  });
}

void ProxyAccesses::addStores(Operation *op) {
  for (const MemoryUse &use : aliases.usesOf(op))
    if (isGenericWrite(use))
      llvm::append_range(storedRegions[op], use.regions);
  auto scratch = dyn_cast<hk::UsesScratch>(op);
  if (int64_t bytes = scratch ? scratch.getScratchBytes() : 0) {
    storedRegions[op].push_back(MemoryRegion::ofScratch(op, bytes));
    scratchUsers.insert(op);
  }
  for (Value pointer : globalOperands(op, /*writes=*/true))
    if (isPointer(pointer) && !isOfCounter(op, pointer))
      storedPointers[op].push_back(pointer);
}

bool ProxyAccesses::mayOverlapInShared(Operation *access, Operation *store) const {
  for (const MemoryUse &use : aliases.usesOf(access))
    for (const MemoryRegion &region : use.regions)
      for (const MemoryRegion &written : storedRegions.find(store)->second) {
        // If `access` reads another buffer at the same address, other stores or a bulk copy have already overwritten
        // the bytes that `store` wrote. Other stores get their own fence, and a bulk copy also needs a fence after
        // `store`.
        bool isOverwritten =
            !use.writes && written.getOwner() != region.getOwner() && !ownersCopiedTo.contains(region.getOwner());
        if (!isOverwritten && written.mayOverlap(region))
          return true;
      }
  return false;
}

bool ProxyAccesses::mayOverlapInGlobal(Operation *access, Operation *store) const {
  for (bool writes : {false, true})
    for (Value desc : globalOperands(access, writes))
      for (Value pointer : storedPointers.find(store)->second)
        if (mayBeOfOneTensor(pointer, desc))
          return true;
  return false;
}

bool ProxyAccesses::mayOverlap(Operation *access, Operation *store, ProxyMemory memory) {
  auto [answer, isNew] = known[unsigned(memory)].try_emplace({access, store}, false);
  if (isNew)
    answer->second =
        memory == ProxyMemory::Shared ? mayOverlapInShared(access, store) : mayOverlapInGlobal(access, store);
  return answer->second;
}

Operation *ProxyAccesses::remoteStoreTo(Operation *access) const {
  auto isRead = [&](Operation *store) {
    for (const MemoryUse &use : aliases.usesOf(store))
      for (const MemoryUse &read : aliases.usesOf(access))
        for (const MemoryRegion &written : use.regions)
          for (const MemoryRegion &region : read.regions)
            if (use.writes && use.completion.isAsync() && !read.writes && written.mayOverlap(region))
              return true;
    return false;
  };
  auto store = llvm::find_if(remoteStores, isRead);
  return store == remoteStores.end() ? nullptr : *store;
}

bool ProxyAccesses::reachesOtherBlocks(Operation *access, ProxyMemory memory) const {
  if (memory == ProxyMemory::Global)
    return true;
  return hk::numCtasOf(access) > 1 &&
         llvm::any_of(aliases.usesOf(access), [](const MemoryUse &use) { return use.writes; });
}

} // namespace hocket
