//===- SlotReleases.cpp - Accesses that other warps may make after an arrival at a barrier ----===//
#include "analysis/async/SlotReleases.h"

#include "analysis/memory/RingSlots.h"
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/MemDescViews.h"

using namespace mlir;

namespace hocket {

/// Returns the worker of hk.warp_specialize that contains `op`; null if `op` is outside of all workers.
static Operation *partitionOf(Operation *op) { return op->getParentOfType<hk::WorkerOp>(); }

static bool isSignal(Operation *op) {
  auto barrier = dyn_cast<hk::SharedBarrierUse>(op);
  return barrier && barrier.signalsAll();
}

static bool isBeforeInSomeBlock(Operation *wait, Operation *op) {
  Operation *beside = wait->getBlock()->findAncestorOpInBlock(*op);
  return beside && wait->isBeforeInBlock(beside);
}

/// True if `wait` may execute before `op`: a loop contains both, or `op` does not precede `wait` in the code.
static bool mayComeBefore(Operation *wait, Operation *op) {
  for (Operation *loop = wait; (loop = loop->getParentOfType<LoopLikeOpInterface>());)
    if (loop->isAncestor(op))
      return true;
  return !isBeforeInSomeBlock(op, wait);
}

static bool waitsForCluster(Operation *op) { return isa<hk::ClusterWaitOp, hk::ClusterBarrierOp>(op); }

bool SlotReleases::arrivesAtCluster(Operation *op) { return isa<hk::ClusterArriveOp, hk::ClusterBarrierOp>(op); }

bool SlotReleases::isAwaitedInOtherCtas(Operation *arrival) const {
  return numCtas > 1 && (arrivesAtCluster(arrival) || hk::reachesOtherMbarriers(arrival));
}

bool SlotReleases::isInOtherCtas(Operation *access) const {
  bool isRemote = hk::reachesOtherMbarriers(access) || isa<hk::SharedBarrierUse>(access);
  return numCtas > 1 && ((isa<hk::AsyncAccess>(access) && isRemote) || hk::accessesOtherCtas(access, numCtas));
}

SlotReleases::SlotReleases(Operation *function, const MemoryAliases &aliases)
    : aliases(aliases), numCtas(hk::numCtasOf(function)) {
  bool hasPartitions = function->walk([](hk::WarpSpecializeOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (!hasPartitions && numCtas == 1)
    return;
  function->walk([&](Operation *op) {
    if (arrivesAtCluster(op))
      arrivals.push_back(barrierUseOf(op));
    if (waitsForCluster(op))
      waits.push_back(barrierUseOf(op));
    if (auto named = dyn_cast<hk::NamedBarrierUse>(op)) {
      arrivals.push_back(barrierUseOf(op));
      if (named.waits())
        waits.push_back(arrivals.back());
      return;
    }
    SmallVector<MemoryUse, 1> uses = aliases.usesOf(op);
    if (uses.empty())
      return;
    bool isWait = isa<hk::SharedBarrierUse>(op) && llvm::none_of(uses, [](const MemoryUse &use) { return use.writes; });
    if (isSignal(op))
      arrivals.push_back(barrierUseOf(op));
    else if (isWait)
      waits.push_back(barrierUseOf(op));
    else if (!isa<hk::SharedBarrierUse>(op) || isInOtherCtas(op))
      accesses.push_back({op, partitionOf(op)});
  });
  findWaitsBefore();
  findReleasedWaits();
}

void SlotReleases::findWaitsBefore() {
  auto findFor = [&](Point &point) {
    for (const auto &[number, wait] : llvm::enumerate(waits))
      if (wait.partition == point.partition && isBeforeInSomeBlock(wait.op, point.op))
        point.waitsBefore.push_back(number);
  };
  for (Point &access : accesses)
    findFor(access);
  for (BarrierUse &arrival : arrivals) {
    findFor(arrival);
    for (const auto &[number, wait] : llvm::enumerate(waits))
      if (wait.partition == arrival.partition && mayComeBefore(wait.op, arrival.op))
        arrival.waitsPerhapsBefore.push_back(number);
  }
}

std::optional<SlotReleases::Slot> SlotReleases::slotOf(Value handle) const {
  if (!handle)
    return std::nullopt;
  if (std::optional<hk::RingSlot> known = hk::slotOf(handle))
    return Slot{known->ring, known->ring.getType().getShape().front(), known->index};
  auto index = handle.getDefiningOp<hk::MemDescIndexOp>();
  for (; !index; index = handle.getDefiningOp<hk::MemDescIndexOp>()) {
    auto view = handle.getDefiningOp<hk::MemDescView>(); // `handle` may be a view of a part of the slot
    if (!view)
      return std::nullopt;
    handle = view.getViewSource();
  }
  ArrayRef<MemoryRegion> whole = aliases.lookup(index.getSrc());
  if (whole.size() != 1)
    return std::nullopt;
  auto ring = dyn_cast<hk::LocalAllocOp>(whole.front().getOwner());
  if (!ring || whole.front() != MemoryRegion::ofBuffer(ring))
    return std::nullopt;
  return Slot{ring, ring.getType().getShape().front(), index.getIndex()};
}

SlotReleases::BarrierUse SlotReleases::barrierUseOf(Operation *op) const {
  BarrierUse use;
  use.op = op;
  use.partition = partitionOf(op);
  if (auto named = dyn_cast<hk::NamedBarrierUse>(op)) {
    use.barrier.named = named.getBarrier();
    return use;
  }
  use.barrier.isClusters = arrivesAtCluster(op) || waitsForCluster(op);
  if (use.barrier.isClusters)
    return use;
  SmallVector<MemoryUse, 1> uses = aliases.usesOf(op);
  Value handle = uses.empty() ? Value() : uses.front().handle;
  ArrayRef<MemoryRegion> regions = aliases.lookup(handle);
  use.barrier.mbarriers = regions.size() == 1 ? regions.front().getOwner() : nullptr;
  use.slot = slotOf(handle);
  return use;
}

/// Returns the waits that may end because `partition` arrives at `barrier`, either directly or because another
/// partition waits for this arrival and then arrives at another barrier (a relay). In a cluster, the relaying partition
/// may also be the same partition in another CTA.
llvm::BitVector SlotReleases::waitsReleasedAt(const Barrier &barrier, Operation *partition, Chain chain) const {
  bool isCertain = chain == Chain::Certainly;
  auto isOn = [&](const Barrier &one, const Barrier &other) {
    return isCertain ? one.isKnown() && one == other : one.mayBe(other);
  };
  llvm::BitVector found(waits.size());
  SmallVector<Barrier> reached{barrier};
  for (size_t next = 0; next < reached.size(); ++next) {
    for (const auto &[number, wait] : llvm::enumerate(waits))
      if (isOn(reached[next], wait.barrier))
        found.set(number);
    for (const BarrierUse &relay : arrivals) {
      const auto &before = isCertain ? relay.waitsBefore : relay.waitsPerhapsBefore;
      bool isOther = relay.partition != partition || (numCtas > 1 && !isCertain);
      if (isOther && !llvm::is_contained(reached, relay.barrier) &&
          llvm::any_of(before, [&](unsigned number) { return found[number]; }))
        reached.push_back(relay.barrier);
    }
  }
  return found;
}

void SlotReleases::findReleasedWaits() {
  for (const BarrierUse &arrival : arrivals) {
    ReleasedWaits &released = certainlyReleased[arrival.partition];
    released.inThisCta.resize(waits.size());
    released.inOtherCtas.resize(waits.size());
    llvm::BitVector found = waitsReleasedAt(arrival.barrier, arrival.partition, Chain::Certainly);
    released.inThisCta |= found;
    if (isAwaitedInOtherCtas(arrival.op))
      released.inOtherCtas |= found;
  }
}

/// True if `mine` and `other` are slots with the same index in every iteration of the innermost loop.
static bool areSameSlot(Operation *one, const std::optional<SlotReleases::Slot> &mine, Operation *two,
                        const std::optional<SlotReleases::Slot> &other) {
  if (!mine || !other || mine->slots != other->slots)
    return false;
  auto loop = one->getParentOfType<scf::ForOp>();
  if (loop != two->getParentOfType<scf::ForOp>())
    return false;
  std::optional<RingIndex::Difference> apart =
      RingIndex::difference(RingIndex::of(mine->index, loop), RingIndex::of(other->index, loop), 0);
  return mine->index == other->index || (apart && apart->number == 0 && apart->step == 0 && apart->unit == 0);
}

/// True if `point`, an access of `slot`, follows a wait for the mbarrier whose slot has the same index. The wait must
/// be for `arrival`, or for a relay of `arrival` (an arrival at another barrier by a partition that has waited for
/// `arrival`). Every arrival at the barrier of the wait must be such a relay, because each of them may end the wait.
bool SlotReleases::isGuarded(const Point &point, const std::optional<Slot> &slot, const BarrierUse &arrival,
                             llvm::BitVector &tried) const {
  return llvm::any_of(point.waitsBefore, [&](unsigned number) {
    const BarrierUse &wait = waits[number];
    if (!areSameSlot(wait.op, wait.slot, point.op, slot))
      return false;
    if (wait.barrier.mayBe(arrival.barrier))
      return true;
    if (tried[number])
      return false;
    tried.set(number);
    bool isRelayed = false;
    for (const BarrierUse &relay : arrivals) {
      if (!relay.barrier.mayBe(wait.barrier))
        continue;
      if (relay.partition == arrival.partition || !isGuarded(relay, relay.slot, arrival, tried))
        return false;
      isRelayed = true;
    }
    if (isRelayed) // the wait may also be part of another chain of relays
      tried.reset(number);
    return isRelayed;
  });
}

SmallVector<SlotReleases::Access> SlotReleases::releasedBy(Operation *op) const {
  SmallVector<Access> released;
  const auto *arrival = llvm::find_if(arrivals, [&](const BarrierUse &use) { return use.op == op; });
  if (arrival == arrivals.end())
    return released;
  llvm::BitVector mayRelease = waitsReleasedAt(arrival->barrier, arrival->partition, Chain::Perhaps);
  auto isOfOthers = [&](const Point &point) { return point.partition != arrival->partition; };
  bool isAwaited = llvm::any_of(waits, [&](const BarrierUse &wait) {
    return (isOfOthers(wait) || isAwaitedInOtherCtas(op)) && wait.barrier.mayBe(arrival->barrier);
  });
  if (!isAwaited)
    return released;
  const ReleasedWaits &releases = certainlyReleased.find(arrival->partition)->second;
  for (const Point &access : accesses) {
    bool inOtherCtas = isInOtherCtas(access.op);
    if (!isOfOthers(access) && !inOtherCtas)
      continue;
    auto isAfter = [&](const llvm::BitVector &some) {
      return llvm::any_of(access.waitsBefore, [&](unsigned number) { return some[number]; });
    };
    // Skips an access that certainly follows a wait for another arrival of this partition: releasedBy returns the
    // access for the other arrival. An arrival at the cluster's barrier skips no access, because all CTAs wait at this
    // barrier in addition to their other waits.
    bool isReleasedElsewhere = isAfter(inOtherCtas ? releases.inOtherCtas : releases.inThisCta);
    if (!arrival->barrier.isClusters && !isAfter(mayRelease) && isReleasedElsewhere)
      continue;
    for (const MemoryUse &use : aliases.usesOf(access.op)) {
      Access also{SmallVector<MemoryRegion, 1>(use.regions), use.writes};
      std::optional<Slot> theirs = arrival->slot ? slotOf(use.handle) : std::nullopt;
      llvm::BitVector tried(waits.size());
      if (theirs && isGuarded(access, theirs, *arrival, tried)) {
        also.ring = theirs->ring;
        also.slots = theirs->slots;
        also.index = arrival->slot->index;
      }
      released.push_back(std::move(also));
    }
  }
  return released;
}

} // namespace hocket
