//===- StageAccess.cpp - One access of shared memory, as warp pipelines see it ----===//
#include "analysis/warp_pipeline/StageAccess.h"

#include "dialect/hk/Layouts.h"
#include "dialect/hk/MemDescViews.h"

using namespace mlir;

namespace hocket {

/// The registers that `op` loads or stores, or that a copy would pass through.
static RankedTensorType registersOf(Operation *op) {
  if (auto access = dyn_cast<hk::RegisterAccess>(op))
    return access.getRegisters();
  if (auto copy = dyn_cast<hk::GlobalAccess>(op); copy && isa<hk::AsyncAccess>(op))
    return dyn_cast<RankedTensorType>(copy.getGlobalAddresses().accessed);
  return {};
}

void appendAccesses(StageAccesses &accesses, Operation *op, unsigned stage, scf::ForOp loop,
                    const SharedAliases &aliases) {
  for (const SharedUse &use : aliases.usesOf(op)) {
    auto access = std::make_unique<StageAccess>();
    access->op = op;
    access->stage = stage;
    access->kind = use.writes ? StageAccessKind::Write : StageAccessKind::Read;
    access->counter = use.counter;
    access->regions.assign(use.regions.begin(), use.regions.end());
    access->registers = registersOf(op);
    if (std::optional<hk::RingSlot> slot = hk::slotOf(use.handle))
      access->slot = RingIndex::of(slot->index, loop);
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
  if (a.isAsync() || b.isAsync() || findExchange(a, b) != Exchange::WithinWarp ||
      a.registers.getEncoding() != b.registers.getEncoding())
    return false;
  // Where warps had copies, they would meet; lanes may.
  return hk::toLinearLayout(a.registers).getFreeVariableMasks()[Dim::Lane] == 0;
}

} // namespace hocket
