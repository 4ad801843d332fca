//===- SharedHazards.cpp - Which accesses of shared memory must be kept apart -----===//
#include "analysis/shared/SharedHazards.h"

#include "dialect/hk/Layouts.h"
#include "dialect/hk/MemDescViews.h"
#include "dialect/hk/Scratch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace hocket {

/// The layout of the registers that `op` loads or stores; null if several lanes may hold the same element.
static Attribute lanesOf(Operation *op) {
  auto access = dyn_cast<hk::RegisterAccess>(op);
  RankedTensorType registers = access ? access.getRegisters() : RankedTensorType();
  if (!registers)
    return {};
  Coords copies = hk::toLinearLayout(registers).getFreeVariableMasks();
  return copies[Dim::Lane] == 0 && copies[Dim::Warp] == 0 ? registers.getEncoding() : Attribute();
}

SharedHazards::SharedHazards(Operation *function) {
  SharedAliases aliases(function);
  function->walk<WalkOrder::PreOrder>([&](Operation *op) { collect(op, aliases); });

  asynchronous.resize(accesses.size());
  for (unsigned i = 0; i < accesses.size(); ++i)
    asynchronous[i] = accesses[i].counter.has_value();
  hazards.assign(accesses.size(), llvm::BitVector(accesses.size()));
  hazardsOfIteration = hazards;
  for (unsigned i = 0; i < accesses.size(); ++i)
    for (unsigned j = i; j < accesses.size(); ++j)
      if (isHazard(accesses[i], accesses[j])) {
        addHazard(i, j);
        addHazard(j, i);
      }
}

void SharedHazards::addHazard(unsigned earlier, unsigned later) {
  if (accesses[later].isOrdered)
    return;
  hazards[later].set(earlier);
  if (!areSlotsApart(accesses[earlier], accesses[later]))
    hazardsOfIteration[later].set(earlier);
}

unsigned SharedHazards::addAccess(Access access) {
  accesses.push_back(std::move(access));
  return accesses.size() - 1;
}

void SharedHazards::collect(Operation *op, const SharedAliases &aliases) {
  if (isa<hk::BarrierOp>(op)) {
    effects[op].hasBarrier = true;
    return;
  }
  if (int64_t bytes = hk::getScratchBytes(op)) {
    SharedRegion scratch = SharedRegion::ofScratch(op, bytes);
    unsigned write = addAccess({.regions = {scratch}, .writes = true}), read = addAccess({.regions = {scratch}});
    effects[op] = {.accesses = {write}, .hasBarrier = true, .afterBarrier = {read}};
    return;
  }
  auto load = dyn_cast<hk::LocalLoadOp>(op);
  for (const SharedUse &use : aliases.usesOf(op)) {
    Access access{.regions = SmallVector<SharedRegion, 1>(use.regions.begin(), use.regions.end()),
                  .writes = use.writes,
                  .counter = use.counter,
                  .isRelaxed = load && load.getRelaxed(),
                  .isOrdered = op->hasAttr(hk::HkDialect::kOrderedAttr),
                  .lanes = lanesOf(op),
                  .loop = op->getParentOfType<LoopLikeOpInterface>()};
    if (std::optional<hk::RingSlot> slot = hk::slotOf(use.handle)) {
      access.ring = slot->ring;
      access.slot = RingIndex::of(slot->index, dyn_cast_or_null<scf::ForOp>(access.loop));
    }
    effects[op].accesses.push_back(addAccess(std::move(access)));
  }
}

bool SharedHazards::areSlotsApart(const Access &a, const Access &b) {
  return a.ring && a.ring == b.ring && a.loop == b.loop && RingIndex::firstMeeting(*a.slot, *b.slot, 0) != 0;
}

bool SharedHazards::isHazard(const Access &a, const Access &b) {
  if (!a.writes && !b.writes)
    return false;
  bool isOneView = a.regions.size() == 1 && b.regions.size() == 1 && a.regions[0].isSameView(b.regions[0]);
  if (isOneView && a.lanes && a.lanes == b.lanes)
    return false;
  for (const SharedRegion &mine : a.regions)
    for (const SharedRegion &other : b.regions)
      if (mine.mayOverlap(other))
        return true;
  return false;
}

const SharedEffects *SharedHazards::effectsOf(Operation *op) const {
  auto found = effects.find(op);
  return found == effects.end() ? nullptr : &found->second;
}

} // namespace hocket
