//===- StageAccess.cpp - A memory access in a stage of a warp pipeline ------------===//
#include "analysis/warp_pipeline/StageAccess.h"

#include "analysis/global/ValueSources.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

/// Returns the type of the tensor in registers that `op` loads or stores. For an asynchronous copy, returns the type of
/// the tensor that an equivalent load and store would pass through registers. For a gather, returns a type that is as
/// long as the source along the gathered axis, because the gather may load any element along this axis.
static RankedTensorType registersOf(Operation *op) {
  if (auto access = dyn_cast<hk::RegisterAccess>(op))
    return access.getRegisters();
  if (auto gather = dyn_cast<hk::LocalGatherOp>(op)) {
    ArrayRef<int64_t> tile = gather.getSrc().getType().getShape();
    return withWholeAxis(gather.getResult().getType(), gather.getAxis(), tile[gather.getAxis()]);
  }
  if (auto copy = dyn_cast<hk::GlobalAccess>(op); copy && isa<hk::AsyncAccess>(op))
    return dyn_cast<RankedTensorType>(copy.getGlobalAddresses().accessed);
  return {};
}

/// If the accessed handle is a loop-carried variable that `loop` permutes cyclically with other loop-carried variables
/// (hk::rotatedWith), and the initial handles of these variables are of disjoint memory, sets `rotation` and `slot` of
/// `access`. `access` may be made through a view of the loop-carried handle.
static void findRotation(StageAccess &access, scf::ForOp loop, const MemoryAliases &aliases) {
  Value handle = hk::lookThroughRegions(access.handle);
  while (auto view = handle.getDefiningOp<hk::MemDescView>())
    handle = hk::lookThroughRegions(view.getViewSource());
  auto variable = dyn_cast<BlockArgument>(handle);
  if (!loop || !variable || variable.getOwner() != loop.getBody() || continuedLoop(loop))
    return;
  SmallVector<BlockArgument> rotation = hk::rotatedWith(variable);
  SmallVector<MemoryRegion> regions;
  for (BlockArgument argument : rotation) {
    ArrayRef<MemoryRegion> initial = aliases.lookup(loop.getTiedLoopInit(argument)->get());
    auto overlapsIt = [&](const MemoryRegion &other) { return other.mayOverlap(initial.front()); };
    if (initial.size() != 1 || !initial.front().isExact() || llvm::any_of(regions, overlapsIt))
      return;
    regions.push_back(initial.front());
  }
  if (rotation.empty())
    return;
  auto first = llvm::min_element(rotation, [](auto a, auto b) { return a.getArgNumber() < b.getArgNumber(); });
  access.rotation = *first;
  // The value of `access.slot` at iteration k identifies the handle that `variable` has in iteration k. The
  // loop-carried variable `*first` has this handle in iteration `slot`. The handles repeat every `size` iterations, so
  // `slot` is taken modulo `size`.
  int64_t size = rotation.size();
  access.slot = RingIndex::ofIteration().withSlots(size, (size - (first - rotation.begin())) % size);
}

bool StageAccess::isOfUnclearSlot() const {
  if (isGlobal())
    return false;
  return slot ? !slot->isKnown() : regions.size() > 1;
}

/// True if the function that contains `op` has partitions of warps, which may wait for each other's signals.
static bool hasPartitions(Operation *op) {
  auto isStart = [](hk::WarpSpecializeOp) { return WalkResult::interrupt(); };
  return op->getParentOfType<FunctionOpInterface>()->walk(isStart).wasInterrupted();
}

/// Returns the addresses at which `op` accesses global memory through `pointer`.
static hk::GlobalAddresses addressesOf(Operation *op, Value pointer) {
  if (auto access = dyn_cast<hk::GlobalAccess>(op))
    return access.getGlobalAddresses();
  Type pointee = cast<hk::PointerType>(getElementTypeOrSelf(pointer.getType())).getPointee();
  return {Value(), pointer, Value(), hk::withElementType(pointer.getType(), pointee)};
}

/// True if `effect` is an access of global memory. The write effect of a volatile load does not count as an access.
static bool accessesGlobal(Operation *op, const MemoryEffects::EffectInstance &effect) {
  bool writes = isa<MemoryEffects::Write>(effect.getEffect()) && !isa<hk::LoadOp>(op);
  bool isAccess = writes || isa<MemoryEffects::Read>(effect.getEffect());
  return isAccess && isa<hk::GlobalMemory>(effect.getResource()) && effect.getValue() &&
         isa<hk::PointerType>(getElementTypeOrSelf(effect.getValue().getType()));
}

/// Appends the access of global memory by `op`, if `op` makes such an access. An atomic counts as a single access that
/// writes.
static void appendGlobalAccess(StageAccesses &accesses, Operation *op, unsigned stage, scf::ForOp loop) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (auto memory = dyn_cast<MemoryEffectOpInterface>(op))
    memory.getEffects(effects);
  std::unique_ptr<StageAccess> access;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (!accessesGlobal(op, effect))
      continue;
    if (!access) {
      access = std::make_unique<StageAccess>();
      access->op = op;
      access->stage = stage;
      access->pointer = effect.getValue();
      access->isAtomic = isa<hk::AtomicAccess>(op);
      if (auto async = dyn_cast<hk::AsyncAccess>(op))
        access->completion = async.getCompletionOf(effect.getValue());
    }
    if (isa<MemoryEffects::Write>(effect.getEffect()) && !isa<hk::LoadOp>(op))
      access->kind = StageAccessKind::Write;
  }
  if (!access)
    return;
  hk::GlobalAddresses addresses = addressesOf(op, access->pointer);
  access->range = GlobalRange::of(addresses, loop);
  access->registers = dyn_cast<RankedTensorType>(addresses.accessed);
  accesses.push_back(std::move(access));
}

void appendAccesses(StageAccesses &accesses, Operation *op, unsigned stage, scf::ForOp loop,
                    const MemoryAliases &aliases) {
  auto barrier = dyn_cast<hk::SharedBarrierUse>(op);
  for (const MemoryUse &use : aliases.usesOf(op)) {
    auto access = std::make_unique<StageAccess>();
    access->op = op;
    access->stage = stage;
    access->kind = use.writes ? StageAccessKind::Write : StageAccessKind::Read;
    access->completion = use.completion;
    access->isBarrierUse = barrier && barrier.isConcurrent();
    access->isByOneThread = barrier && barrier.isByOneThread();
    access->isSignal = barrier && barrier.signalsAll() && !barrier.isPerWarp() && hasPartitions(op);
    access->regions.assign(use.regions.begin(), use.regions.end());
    access->registers = registersOf(op);
    access->handle = use.handle;
    if (std::optional<hk::RingSlot> slot = hk::slotOf(use.handle))
      access->slot = RingIndex::of(slot->index, loop);
    else if (access->regions.size() > 1)
      findRotation(*access, loop, aliases);
    accesses.push_back(std::move(access));
  }
  appendGlobalAccess(accesses, op, stage, loop);
}

bool mayOverlap(const StageAccess &a, const StageAccess &b) {
  if (a.isGlobal() && b.isGlobal())
    return mayBeOfOneArray(a.pointer, b.pointer);
  for (const MemoryRegion &mine : a.regions)
    for (const MemoryRegion &other : b.regions)
      if (mine.mayOverlap(other))
        return true;
  return false;
}

bool areInOneRing(const StageAccess &a, const StageAccess &b) {
  if (a.isGlobal() || b.isGlobal() || !a.slot || !b.slot || a.rotation != b.rotation)
    return false;
  return a.rotation || a.regions[0].getOwner() == b.regions[0].getOwner();
}

Exchange findExchange(const StageAccess &a, const StageAccess &b, Iterations apart) {
  bool isOneView = a.regions.size() == 1 && b.regions.size() == 1 && a.regions[0].isSameViewOfSlot(b.regions[0]);
  // Two accesses through cyclically permuted handles of one loop have the same view if both access whole buffers.
  if (a.rotation && a.rotation == b.rotation)
    isOneView =
        a.handle.getType() == b.handle.getType() && isa<BlockArgument>(a.handle) && isa<BlockArgument>(b.handle);
  if (a.isGlobal())
    isOneView = apart && GlobalRange::areSame(a.range, b.range, *apart);
  if (!isOneView || !a.registers || !b.registers)
    return Exchange::BetweenGroups;
  return findExchange(a.registers, b.registers);
}

bool isLanePrivate(const StageAccess &a, const StageAccess &b, Iterations apart) {
  if (a.isAsync() || b.isAsync() || findExchange(a, b, apart) != Exchange::WithinWarp ||
      a.registers.getEncoding() != b.registers.getEncoding())
    return false;
  // Exchange::WithinWarp implies that no element is held by several warps, but several lanes of a warp may hold an
  // element.
  return hk::toLinearLayout(a.registers).getFreeVariableMasks()[Dim::Lane] == 0;
}

} // namespace hocket
