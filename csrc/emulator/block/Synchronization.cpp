//===- Synchronization.cpp - Lanes wait for each other: shuffles and barriers -------------------===//
#include "emulator/block/BlockRunner.h"

namespace hocket::emulator {

uint64_t BlockRunner::exchange(Lane &lane, host_abi::Exchange kind, uint64_t value, uint64_t a, uint64_t b,
                               uint64_t members, uint32_t site) {
  Warp &warp = warpOf(lane);
  members &= wholeWarp;
  lane.waitSite = site;
  if (!warp.meeting) {
    warp.meetingSite = site;
    warp.exchange.kind = kind;
    warp.exchange.warpSize = program.warpSize();
    warp.exchange.members = members;
  }
  warp.exchange.value[lane.lane] = value;
  warp.exchange.a[lane.lane] = a;
  warp.exchange.b[lane.lane] = b;
  warp.meeting |= bitOf(lane);
  // Lanes at another shuffle, or with another idea of who takes part, wait for each other for ever.
  bool agrees = site == warp.meetingSite && members == warp.exchange.members && (members & bitOf(lane));
  if (!agrees)
    warp.exchange.members = 0;
  if (warp.meeting != warp.exchange.members) {
    suspend(lane);
    return warp.results[lane.lane];
  }
  resolveExchange(warp.exchange, warp.results);
  warp.ready |= members & ~bitOf(lane);
  warp.meeting = 0;
  return warp.results[lane.lane];
}

uint32_t BlockRunner::expectedAt(uint32_t threads) const {
  if (threads)
    return threads;
  uint32_t expected = program.blockSize();
  if (program.target->vendor == Vendor::Amd)
    for (const Warp &warp : warps)
      if (warp.finished == wholeWarp)
        expected -= program.warpSize();
  return expected;
}

void BlockRunner::arriveAtBarrier(Lane &lane, uint32_t id, uint32_t threads, uint32_t site, bool predicate) {
  Barrier &barrier = barriers[id % kBarrierCount];
  uint64_t &arriving = barrier.arriving[lane.warp];
  arriving |= bitOf(lane);
  lane.predicate = predicate;
  barrier.expected = expectedAt(threads);
  if (lane.moment)
    noteArrival(lane);
  if (arriving != wholeWarp)
    return;
  arriving = 0;
  if (timing)
    timing->arriveAtBarrier(lane.warp, id % kBarrierCount);
  barrier.arrived += program.warpSize();
  if (lane.moment)
    passOn(barrier, lane.warp);
  if (barrier.arrived >= barrier.expected)
    release(barrier);
}

uint32_t BlockRunner::waitAtBarrier(Lane &lane, uint32_t id, uint32_t threads, uint32_t site,
                                    std::optional<host_abi::BarrierReduction> reduction, bool predicate) {
  Barrier &barrier = barriers[id % kBarrierCount];
  Warp &warp = warpOf(lane);
  lane.waitSite = site;
  barrier.waiting[lane.warp] |= bitOf(lane);
  warp.atBarrier |= bitOf(lane);
  // The result is known at the release; until then the slot holds how to combine.
  lane.barrierResult = reduction ? uint32_t(*reduction) : 0;
  arriveAtBarrier(lane, id, threads, site, predicate);
  if (warp.atBarrier & bitOf(lane))
    suspend(lane);
  else if (isAnotherPreferred(warp))
    giveTurn(lane);
  else
    warp.ready &= ~bitOf(lane); // released by its own arrival: it is running already
  return lane.barrierResult;
}

void BlockRunner::release(Barrier &barrier) {
  Barrier next; // for warps of which some lanes have come already
  ++barrierOpenings;
  Clocks opened = timing ? timing->clock.open(unsigned(&barrier - barriers.data())) : 0;
  auto forEachReleased = [&](auto function) {
    for (uint32_t number = 0; number < warps.size(); ++number)
      for (uint64_t left = barrier.waiting[number] & ~barrier.arriving[number]; left; left &= left - 1)
        function(lanes[number * program.warpSize() + unsigned(std::countr_zero(left))]);
  };
  forEachReleased([&](Lane &lane) { barrier.holding += lane.predicate; });
  forEachReleased([&](Lane &lane) {
    warpOf(lane).atBarrier &= ~bitOf(lane);
    warpOf(lane).ready |= bitOf(lane);
    lane.barrierResult = barrier.reduce(host_abi::BarrierReduction(lane.barrierResult));
    if (lane.moment)
      leaveBarrier(lane, barrier);
    if (timing && lane.lane == 0)
      timing->leaveBarrier(lane.warp, lane.waitSite, opened);
  });
  for (uint32_t number = 0; number < warps.size(); ++number)
    if (barrier.arriving[number]) {
      next.arriving[number] = barrier.arriving[number];
      next.waiting[number] = barrier.waiting[number] & barrier.arriving[number];
      next.expected = barrier.expected;
    }
  barrier = next;
}

uint64_t BlockRunner::groupAtOneSite(Warp &warp) {
  auto siteOf = [&](uint64_t lanesLeft) {
    return lanes[size_t(&warp - warps.data()) * program.warpSize() + unsigned(std::countr_zero(lanesLeft))].waitSite;
  };
  uint32_t first = ~0u;
  for (uint64_t left = warp.converging; left; left &= left - 1)
    first = std::min(first, siteOf(left));
  uint64_t group = 0;
  for (uint64_t left = warp.converging; left; left &= left - 1)
    if (siteOf(left) == first)
      group |= left & -left;
  warp.converging &= ~group;
  return group;
}

uint64_t BlockRunner::converge(Lane &lane, uint32_t site) {
  Warp &warp = warpOf(lane);
  lane.waitSite = site;
  warp.converging |= bitOf(lane);
  if (!(warp.ready | warp.unstarted | warp.yielded)) {
    uint64_t group = groupAtOneSite(warp);
    if (group & bitOf(lane))
      return group;
    warp.led = group;
    warp.ready |= group & -group;
  }
  suspend(lane);
  bool leads = (warp.led & -warp.led) == bitOf(lane);
  return leads ? std::exchange(warp.led, 0) : 0;
}

void BlockRunner::part(Lane &leader, uint64_t group) { warpOf(leader).ready |= group & ~bitOf(leader); }

} // namespace hocket::emulator
