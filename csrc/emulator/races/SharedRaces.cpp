//===- SharedRaces.cpp - Accesses of shared memory by two warps that nothing orders ------------===//
#include "emulator/races/SharedRaces.h"

#include <algorithm>
#include <bit>
#include <utility>

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
static bool arePossible(const Program &program) {
  auto accesses = [](const Site &site) { return isShared(site.kind); };
  auto copies = [](const Site &site) { return site.kind == SiteKind::SharedCopy; };
  return std::ranges::any_of(program.sites, accesses) &&
         (program.numWarps > 1 || std::ranges::any_of(program.sites, copies));
}

SharedRaces::SharedRaces(const Program &program, bool isWanted, const std::byte *shared, BlockFaults &faults)
    : program(program), faults(faults) {
  if (!isWanted || !arePossible(program))
    return;
  for (const Site &site : program.sites)
    accesses.push_back({site.kind == SiteKind::SharedRead     ? SharedAccess::Read
                        : site.kind == SiteKind::SharedAtomic ? SharedAccess::Atomic
                                                              : SharedAccess::Write,
                        site.bytes});
  order.emplace(program.numWarps);
  shadow.emplace(shared, program.sharedBytes, granuleOf(program));
  lanes.resize(program.blockSize());
}

void SharedRaces::begin() {
  if (!order)
    return;
  if (order->beginBlock())
    shadow->forgetAll();
  for (uint32_t warp = 0; warp < program.numWarps; ++warp) {
    MomentRef first = order->firstMoment(warp);
    for (uint32_t lane = 0; lane < program.warpSize(); ++lane)
      lanes[warp * program.warpSize() + lane] = {.moment = first, .arrival = {}};
  }
}

[[gnu::noinline]] void SharedRaces::accessSlowly(Lane &lane, const SharedBytes &place, uint32_t site) {
  Accessor who = {lane.warp, lane.lane, site};
  if (auto conflict = shadow->access(accesses[site].kind, place, *lanes[lane.thread].moment, who))
    fail(lane, lane.thread, site, *conflict);
}

void SharedRaces::fail(Lane &lane, uint32_t thread, uint32_t site, const Conflict &conflict) {
  faults.fail(
      lane,
      {.kind = FailureKind::Race, .site = site, .thread = thread, .address = conflict.offset, .conflict = conflict});
}

void SharedRaces::fence(const Lane &lane, uint32_t effects) {
  if (!order)
    return;
  MomentRef &moment = lanes[lane.thread].moment;
  if (effects & host_abi::kAcquires)
    moment = order->acquire(moment);
  if (effects & host_abi::kReleases)
    moment = order->release(moment);
}

void SharedRaces::finish(const Lane &lane) {
  if (order)
    lanes[lane.thread].moment = {};
}

void SharedRaces::arrive(const Lane &lane) {
  if (!order)
    return;
  LaneState &state = lanes[lane.thread];
  if (barriersOrder())
    state.moment = order->release(state.moment);
  state.arrival = state.moment;
}

void SharedRaces::passOn(uint32_t warp, VectorClock &passedOn) {
  if (!order)
    return;
  MomentRef last;
  for (uint32_t lane = 0; lane < program.warpSize(); ++lane) {
    MomentRef arrival = std::exchange(lanes[warp * program.warpSize() + lane].arrival, {});
    if (arrival && arrival.get() != last.get()) {
      passedOn.join(arrival->released);
      last = std::move(arrival);
    }
  }
}

void SharedRaces::leaveBarrier(const Lane &lane, const VectorClock &passedOn, uint64_t opening) {
  if (!order)
    return;
  MomentRef &moment = lanes[lane.thread].moment;
  moment = order->receive(moment, passedOn, opening);
  if (barriersOrder())
    moment = order->acquire(moment);
}

void SharedRaces::beginCopy(Lane &lane, unsigned copier, uint64_t offset, uint64_t bytes, uint32_t site) {
  if (!order)
    return;
  if (auto conflict = shadow->beginCopy({offset, bytes}, *lanes[lane.thread].moment, {lane.warp, copier, site}))
    fail(lane, lane.warp * program.warpSize() + copier, site, *conflict);
}

void SharedRaces::endCopy(const Lane &lane, unsigned copier, uint64_t offset, uint64_t bytes, uint32_t site) {
  if (order)
    shadow->endCopy({offset, bytes}, lanes[lane.thread].moment.get(), {lane.warp, copier, site});
}

void SharedRaces::dropCopy(uint64_t offset, uint64_t bytes) {
  if (order)
    shadow->endCopy({offset, bytes}, nullptr, {});
}

} // namespace hocket::emulator
