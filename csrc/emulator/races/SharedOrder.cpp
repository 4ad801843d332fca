//===- SharedOrder.cpp - The order of a block's accesses of shared memory ---------------------------===//
//
// Ties HappensBefore and SharedShadow to what lanes do. With races off, lanes have no moments and nothing here runs.
//
//===------------------------------------------------------------------------------===//
#include "emulator/block/BlockRunner.h"

#include <bit>

namespace hocket::emulator {

using host_abi::isShared;
using host_abi::SiteKind;

/// The largest power of two that divides the offset and the width of each access of shared memory.
static unsigned granuleOf(const Program &program) {
  unsigned bits = 16;
  for (const Site &site : program.sites)
    if (isShared(site.kind))
      bits |= site.bytes | site.alignment;
  return 1u << std::countr_zero(bits);
}

/// One warp alone cannot race, but it can read what it has not waited for.
void BlockRunner::watchShared() {
  bool copiesData =
      std::ranges::any_of(program.sites, [](const Site &site) { return site.kind == SiteKind::SharedCopy; });
  if (copiesData)
    copies.assign(warps.size(), AsyncCopies(lanes[0].shared, launch.options.completion));
  bool accessesShared = std::ranges::any_of(program.sites, [](const Site &site) { return isShared(site.kind); });
  if (launch.options.countBanks && accessesShared) {
    bankCounter.emplace(program);
    for (Lane &lane : lanes)
      lane.watched = true;
  }
  if (!launch.options.races || !accessesShared || (warps.size() == 1 && !copiesData))
    return;
  for (const Site &site : program.sites)
    sharedSites.push_back({site.kind == SiteKind::SharedRead     ? SharedAccess::Read
                           : site.kind == SiteKind::SharedAtomic ? SharedAccess::Atomic
                                                                 : SharedAccess::Write,
                           site.bytes});
  order.emplace(unsigned(warps.size()));
  shadow.emplace(lanes[0].shared, program.sharedBytes, granuleOf(program));
  for (Lane &lane : lanes)
    lane.watched = true;
}

void BlockRunner::beginBlockOfShared(uint64_t block) {
  for (AsyncCopies &ofWarp : copies) {
    for (const AsyncCopy &copy : ofWarp.drop())
      if (shadow)
        copy.forEachLane([&](unsigned, uint64_t place) { shadow->endCopy({place, copy.bytes}, nullptr, {}); });
    ofWarp.seed(launch.options.seed * 0x9e3779b9 + block * copies.size() + uint64_t(&ofWarp - copies.data()));
  }
  if (!order)
    return;
  if (order->beginBlock())
    shadow->forgetAll();
  for (uint32_t warp = 0; warp < warps.size(); ++warp) {
    MomentRef first = order->firstMoment(warp);
    for (uint32_t i = 0; i < program.warpSize(); ++i) {
      Lane &lane = lanes[warp * program.warpSize() + i];
      lane.moment = first;
      lane.arrival = {};
    }
  }
}

void BlockRunner::accessShared(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t number) {
  if (bankCounter)
    bankCounter->access(lane.warp, lane.lane, number, offset);
  if (!lane.moment)
    return;
  auto [kind, bytes] = sharedSites[number];
  const Moment &moment = *lane.moment;
  Accessor who = {lane.warp, lane.lane, number};
  if (kind == SharedAccess::Read && shadow->tryRead(offset, bytes, moment, who)) [[likely]]
    return;
  if (kind == SharedAccess::Write && shadow->tryWrite(offset, bytes, moment, who)) [[likely]]
    return;
  accessSharedSlowly(lane, {offset, bytes, stored}, number);
}

[[gnu::noinline]] void BlockRunner::accessSharedSlowly(Lane &lane, const SharedBytes &place, uint32_t number) {
  Accessor who = {lane.warp, lane.lane, number};
  if (auto conflict = shadow->access(sharedSites[number].kind, place, *lane.moment, who))
    failInRace(lane, lane.thread, number, *conflict);
}

void BlockRunner::failInRace(Lane &lane, uint32_t thread, uint32_t site, const Conflict &conflict) {
  fail(
      lane,
      BlockFault{
          .kind = FailureKind::Race, .site = site, .thread = thread, .address = conflict.offset, .conflict = conflict});
}

void BlockRunner::fence(Lane &lane, uint32_t effects) {
  if (!lane.moment)
    return;
  if (effects & host_abi::kAcquires)
    lane.moment = order->acquire(lane.moment);
  if (effects & host_abi::kReleases)
    lane.moment = order->release(lane.moment);
}

/// A barrier of NVIDIA orders by itself.
static bool orders(const Program &program) { return program.target->vendor == Vendor::Nvidia; }

void BlockRunner::noteArrival(Lane &lane) {
  if (orders(program))
    lane.moment = order->release(lane.moment);
  lane.arrival = lane.moment;
}

/// All lanes of the warp have arrived.
void BlockRunner::passOn(Barrier &barrier, uint32_t warp) {
  MomentRef last;
  for (uint32_t i = 0; i < program.warpSize(); ++i) {
    MomentRef arrival = std::exchange(lanes[warp * program.warpSize() + i].arrival, {});
    if (arrival && arrival.get() != last.get()) {
      barrier.passedOn.join(arrival->released);
      last = std::move(arrival);
    }
  }
}

void BlockRunner::leaveBarrier(Lane &lane, const Barrier &barrier) {
  lane.moment = order->receive(lane.moment, barrier.passedOn, barrierOpenings);
  if (orders(program))
    lane.moment = order->acquire(lane.moment);
}

} // namespace hocket::emulator
