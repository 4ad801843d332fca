//===- MemoryAliases.cpp - Alias analysis of handles of buffers -------------------===//
#include "analysis/memory/MemoryAliases.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace hocket {

/// If a handle may refer to more than this number of regions, each further region is replaced by the whole buffer that
/// contains the region. This limit also bounds the analysis of loops in which each iteration makes a view of a
/// loop-carried handle.
static constexpr unsigned kMaxRegions = 32;

/// True if `op` returns no handles, or if the analysis can determine the memory of the returned handles. Handles that
/// are constants, such as poison, refer to no memory.
static bool hasKnownOrigin(Operation *op) {
  bool makesHandle = llvm::any_of(op->getResultTypes(), llvm::IsaPred<hk::MemDescType>);
  return !makesHandle || op->hasTrait<OpTrait::ConstantLike>() || hasEffect<MemoryEffects::Allocate>(op) ||
         isa<hk::LocalAllocOp, hk::MemDescView, SelectLikeOpInterface, RegionBranchOpInterface>(op);
}

LogicalResult requireKnownOrigins(Operation *root) {
  WalkResult result = root->walk<WalkOrder::PreOrder>([](Operation *op) {
    if (hasKnownOrigin(op))
      return WalkResult::advance();
    return WalkResult(op->emitOpError(
        "returns a handle of shared memory, but the compiler cannot determine the memory it refers to"));
  });
  return failure(result.wasInterrupted());
}

MemoryAliases::MemoryAliases(Operation *function) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    assert(hasKnownOrigin(op) && "accesses through such a handle go unseen; ask requireKnownOrigins first");
    if (auto alloc = dyn_cast<hk::LocalAllocOp>(op))
      add(alloc.getResult(), MemoryRegion::ofBuffer(alloc));
  });
  while (!gained.empty()) {
    auto [handle, region] = gained.pop_back_val();
    propagate(handle, region);
  }
}

ArrayRef<MemoryRegion> MemoryAliases::lookup(Value handle) const {
  auto found = regions.find(handle);
  return found == regions.end() ? ArrayRef<MemoryRegion>() : ArrayRef<MemoryRegion>(found->second);
}

void MemoryAliases::add(Value handle, const MemoryRegion &region) {
  auto [entry, isNew] = regions.try_emplace(handle);
  if (isNew)
    order.push_back(handle);
  SmallVector<MemoryRegion, 1> &known = entry->second;
  const MemoryRegion &added = known.size() < kMaxRegions ? region : region.somewhereInBuffer();
  if (llvm::is_contained(known, added))
    return;
  known.push_back(added);
  gained.push_back({handle, added});
}

void MemoryAliases::propagate(Value handle, const MemoryRegion &region) {
  for (OpOperand &use : handle.getUses()) {
    if (auto view = dyn_cast<hk::MemDescView>(use.getOwner()); view && view.getViewSource() == handle)
      add(view->getResult(0), region.viewedBy(view));
    if (isa<SelectLikeOpInterface>(use.getOwner()))
      add(use.getOwner()->getResult(0), region);
    for (Value target : targetsOf(use))
      add(target, region);
  }
}

/// Returns the block arguments and operation results to which control flow passes the operand `use`.
ArrayRef<Value> MemoryAliases::targetsOf(OpOperand &use) {
  Operation *op = use.getOwner();
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch && isa<RegionBranchTerminatorOpInterface>(op))
    branch = dyn_cast<RegionBranchOpInterface>(op->getParentOp());
  if (!branch)
    return {};
  auto [entry, isNew] = flows.try_emplace(branch);
  if (isNew)
    branch.getSuccessorOperandInputMapping(entry->second);
  auto found = entry->second.find(&use);
  return found == entry->second.end() ? ArrayRef<Value>() : ArrayRef<Value>(found->second);
}

SmallVector<MemoryUse, 1> MemoryAliases::usesOf(Operation *op) const {
  SmallVector<MemoryUse, 1> uses;
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return uses;
  auto async = dyn_cast<hk::AsyncAccess>(op);
  SmallVector<MemoryEffects::EffectInstance> instances;
  memory.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    bool writes = isa<MemoryEffects::Write>(instance.getEffect());
    if (!instance.getValue() || !(writes || isa<MemoryEffects::Read>(instance.getEffect())))
      continue;
    if (ArrayRef<MemoryRegion> found = lookup(instance.getValue()); !found.empty())
      uses.push_back(
          {instance.getValue(), found, writes, async ? async.getCompletionOf(instance.getValue()) : hk::Completion()});
  }
  return uses;
}

} // namespace hocket
