//===- SlotReleases.cpp - What an arrival at a barrier lets other warps do --------------------------===//
#include "analysis/async/SlotReleases.h"

#include "analysis/shared/RingSlots.h"
#include "dialect/hk/MemDescViews.h"

using namespace mlir;

namespace hocket {

/// The warps of the launch are one partition, in the body of a warp_specialize and around it.
static Operation *partitionOf(Operation *op) { return op->getParentOfType<hk::WorkerOp>(); }

static bool announces(Operation *op) {
  auto barrier = dyn_cast<hk::SharedBarrierUse>(op);
  return barrier && barrier.announcesAll();
}

SlotReleases::SlotReleases(Operation *function, const SharedAliases &aliases) : aliases(aliases) {
  bool hasPartitions = function->walk([](hk::WarpSpecializeOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (!hasPartitions)
    return;
  function->walk([&](Operation *op) {
    if (auto named = dyn_cast<hk::NamedBarrierUse>(op)) {
      arrivals.push_back(op);
      if (named.waits())
        waits.push_back(op);
      return;
    }
    SmallVector<SharedUse, 1> uses = aliases.usesOf(op);
    if (uses.empty())
      return;
    bool isWait = isa<hk::SharedBarrierUse>(op) && llvm::none_of(uses, [](const SharedUse &use) { return use.writes; });
    if (announces(op))
      arrivals.push_back(op);
    else if (isWait)
      waits.push_back(op);
    else if (!isa<hk::SharedBarrierUse>(op))
      accesses.push_back(op);
  });
}

std::optional<SlotReleases::Slot> SlotReleases::slotOf(Value handle) const {
  if (!handle)
    return std::nullopt;
  if (std::optional<hk::RingSlot> known = hk::slotOf(handle))
    return Slot{known->ring, known->ring.getType().getShape().front(), known->index};
  auto index = handle.getDefiningOp<hk::MemDescIndexOp>();
  for (; !index; index = handle.getDefiningOp<hk::MemDescIndexOp>()) {
    auto view = handle.getDefiningOp<hk::MemDescView>(); // a part of the slot
    if (!view)
      return std::nullopt;
    handle = view.getViewSource();
  }
  ArrayRef<SharedRegion> whole = aliases.lookup(index.getSrc());
  if (whole.size() != 1)
    return std::nullopt;
  auto ring = dyn_cast<hk::LocalAllocOp>(whole.front().getOwner());
  if (!ring || whole.front() != SharedRegion::ofBuffer(ring))
    return std::nullopt;
  return Slot{ring, ring.getType().getShape().front(), index.getIndex()};
}

Value SlotReleases::mbarrierHandle(Operation *op) const {
  SmallVector<SharedUse, 1> uses = aliases.usesOf(op);
  return uses.empty() ? Value() : uses.front().handle;
}

SlotReleases::Barrier SlotReleases::barrierOf(Operation *op) const {
  if (auto named = dyn_cast<hk::NamedBarrierUse>(op))
    return {.named = named.getBarrier()};
  ArrayRef<SharedRegion> regions = aliases.lookup(mbarrierHandle(op));
  return {.mbarriers = regions.size() == 1 ? regions.front().getOwner() : nullptr};
}

static bool isBeforeInSomeBlock(Operation *wait, Operation *access) {
  Operation *beside = wait->getBlock()->findAncestorOpInBlock(*access);
  return beside && wait->isBeforeInBlock(beside);
}

/// Does `access` touch, through `handle`, the slot for which `wait`, in the same iteration, has waited?
bool SlotReleases::areGuardedBy(Operation *wait, Value handle, Operation *access) const {
  std::optional<Slot> mine = slotOf(mbarrierHandle(wait)), other = slotOf(handle);
  if (!mine || !other || mine->slots != other->slots)
    return false;
  auto loop = wait->getParentOfType<scf::ForOp>();
  if (loop != access->getParentOfType<scf::ForOp>())
    return false;
  std::optional<RingIndex::Difference> apart =
      RingIndex::difference(RingIndex::of(mine->index, loop), RingIndex::of(other->index, loop), 0);
  return mine->index == other->index || (apart && apart->number == 0 && apart->step == 0 && apart->unit == 0);
}

SmallVector<SlotReleases::Access> SlotReleases::releasedBy(Operation *arrival) const {
  Barrier barrier = barrierOf(arrival);
  Operation *partition = partitionOf(arrival);
  std::optional<Slot> slot = slotOf(mbarrierHandle(arrival));
  auto isOfOthers = [&](Operation *op) { return partitionOf(op) != partition; };
  auto isOnSame = [&](Operation *op) { return barrierOf(op).mayBe(barrier); };
  auto isToldByUs = [&](Operation *wait) {
    return llvm::any_of(arrivals, [&](Operation *other) {
      return !isOfOthers(other) && barrierOf(other).isKnown() && barrierOf(other) == barrierOf(wait);
    });
  };
  SmallVector<Access> released;
  bool isHeard = llvm::any_of(waits, [&](Operation *wait) { return isOfOthers(wait) && isOnSame(wait); });
  if (!isHeard)
    return released;
  for (Operation *op : llvm::make_filter_range(accesses, isOfOthers)) {
    SmallVector<Operation *> before;
    for (Operation *wait : waits)
      if (partitionOf(wait) == partitionOf(op) && isBeforeInSomeBlock(wait, op))
        before.push_back(wait);
    // What another of our arrivals lets happen, this one need not.
    if (llvm::none_of(before, isOnSame) && llvm::any_of(before, isToldByUs))
      continue;
    for (const SharedUse &use : aliases.usesOf(op)) {
      Access access{SmallVector<SharedRegion, 1>(use.regions), use.writes};
      bool isGuarded =
          llvm::any_of(before, [&](Operation *wait) { return isOnSame(wait) && areGuardedBy(wait, use.handle, op); });
      if (std::optional<Slot> theirs = slotOf(use.handle); isGuarded && slot) {
        access.ring = theirs->ring;
        access.slots = theirs->slots;
        access.index = slot->index;
      }
      released.push_back(std::move(access));
    }
  }
  return released;
}

} // namespace hocket
