//===- StageAccess.cpp - One access of shared memory, as warp pipelines see it ----===//
#include "analysis/warp_pipeline/StageAccess.h"

#include "dialect/hk/Layouts.h"

using namespace mlir;

namespace hocket {

/// The registers that `op` loads or stores, or that a copy would pass through.
static RankedTensorType registersOf(Operation *op) {
  if (auto load = dyn_cast<hk::LocalLoadOp>(op))
    return load.getType();
  if (auto store = dyn_cast<hk::LocalStoreOp>(op))
    return store.getValue().getType();
  if (auto alloc = dyn_cast<hk::LocalAllocOp>(op); alloc && alloc.getSrc())
    return alloc.getSrc().getType();
  if (auto copy = dyn_cast<hk::GlobalAccess>(op); copy && isa<hk::AsyncCopy>(op))
    return dyn_cast<RankedTensorType>(copy.getGlobalAddresses().accessed);
  return {};
}

/// The operation that selects a slot of a whole buffer, on the way from `handle` back to its allocation.
static hk::MemDescIndexOp slotSelection(Value handle) {
  while (Operation *op = lookThroughStages(handle).getDefiningOp()) {
    auto index = dyn_cast<hk::MemDescIndexOp>(op);
    if (index && lookThroughStages(index.getSrc()).getDefiningOp<hk::LocalAllocOp>())
      return index;
    if (!index && !isa<hk::MemDescSliceOp, hk::MemDescPermuteOp>(op))
      return {};
    handle = op->getOperand(0);
  }
  return {};
}

void appendAccesses(StageAccesses &accesses, Operation *op, unsigned stage, scf::ForOp loop,
                    const SharedAliases &aliases) {
  for (const SharedUse &use : aliases.usesOf(op)) {
    auto access = std::make_unique<StageAccess>();
    access->op = op;
    access->stage = stage;
    if (use.writes)
      access->kind = isa<hk::AsyncCopy>(op) ? StageAccessKind::Copy : StageAccessKind::Write;
    access->regions.assign(use.regions.begin(), use.regions.end());
    access->registers = registersOf(op);
    if (auto selection = slotSelection(use.handle); selection && use.regions.size() == 1)
      access->slot = RingIndex::of(selection.getIndex(), loop);
    accesses.push_back(std::move(access));
  }
}

bool mayOverlap(const StageAccess &a, const StageAccess &b) {
  for (const SharedRegion &mine : a.regions)
    for (const SharedRegion &other : b.regions)
      if (mine.mayOverlap(other))
        return true;
  return false;
}

bool areInOneRing(const StageAccess &a, const StageAccess &b) {
  return a.slot && b.slot && a.regions[0].getOwner() == b.regions[0].getOwner();
}

Exchange findExchange(const StageAccess &a, const StageAccess &b) {
  bool isOneView = a.regions.size() == 1 && b.regions.size() == 1 && a.regions[0].isSameViewOfSlot(b.regions[0]);
  if (!isOneView || !a.registers || !b.registers)
    return Exchange::BetweenGroups;
  return findExchange(a.registers, b.registers);
}

bool isLanePrivate(const StageAccess &a, const StageAccess &b) {
  bool isCopy = a.kind == StageAccessKind::Copy || b.kind == StageAccessKind::Copy;
  if (isCopy || findExchange(a, b) != Exchange::WithinWarp || a.registers.getEncoding() != b.registers.getEncoding())
    return false;
  // Where warps had copies, they would meet; lanes may.
  return hk::toLinearLayout(a.registers).getFreeVariableMasks()[Dim::Lane] == 0;
}

} // namespace hocket
