//===- Barriers.cpp - The barriers of a block, released by arrival count -----------------------===//
#include "emulator/block/Barriers.h"

#include "emulator/faults/Deadlock.h"

namespace hocket::emulator {

using host_abi::BarrierReduction;

uint32_t Barriers::Barrier::arrivedThreads() const {
  uint32_t threads = arrived;
  for (LaneMask lanes : arriving)
    threads += uint32_t(std::popcount(lanes));
  return threads;
}

uint32_t Barriers::Barrier::reduce(BarrierReduction reduction) const {
  switch (reduction) {
  case BarrierReduction::And:
    return holding == arrived;
  case BarrierReduction::Or:
    return holding != 0;
  case BarrierReduction::Count:
    break;
  }
  return holding;
}

Barriers::Barriers(const Program &program, LaneRunner &lanes, WarpScheduler &scheduler, BlockFaults &faults,
                   CopiesToShared &copies, BlockOrders orders, BlockTiming &timing)
    : program(program), lanes(lanes), scheduler(scheduler), faults(faults), copies(copies), orders(orders),
      timing(timing), barriers(size_t(program.numCtas) * kMaxNamedBarriers, Barrier(program.numWarps)),
      waiters(program.blockSize()) {}

void Barriers::begin() {
  for (Barrier &barrier : barriers)
    if (barrier.expected)
      barrier = Barrier(program.numWarps);
}

uint32_t Barriers::expectedAt(uint32_t threads) const {
  if (threads)
    return threads;
  uint32_t skipped = program.target->barriersSkipEndedWarps ? lanes.finishedWarps() * lanes.warpSize : 0;
  return program.threadsOfCta() - skipped;
}

void Barriers::arrive(Lane &lane, uint32_t id, uint32_t threads, uint32_t site) {
  waiters[lane.thread].reduction.predicate = false;
  orders.forEach([&](unsigned, WarpOrder &order) { order.arrive(lane); });
  count(lane, barrierAt(lane, id), threads, site);
}

uint32_t Barriers::wait(Lane &lane, uint32_t id, uint32_t threads, uint32_t site, Reduction reduction, Fences fences) {
  Barrier &barrier = barrierAt(lane, id);
  lane.waitSite = site;
  barrier.waiting[lane.warp] |= bitOf(lane);
  Waiter &waiter = waiters[lane.thread];
  waiter.reduction = reduction;
  waiter.fences = fences;
  waiter.result = 0;
  barrier.reduces |= reduction.kind.has_value();
  count(lane, barrier, threads, site);
  if (barrier.waiting[lane.warp] & bitOf(lane))
    lanes.suspend(lane);
  else if (scheduler.isAnotherPreferred(lane.warp))
    lanes.endTimeSlice(lane);
  return waiter.result;
}

void Barriers::count(Lane &lane, Barrier &barrier, uint32_t threads, uint32_t site) {
  if (barrier.counted.test(lane.warp))
    faults.fail(lane, {.kind = FailureKind::BarrierAgain,
                       .site = site,
                       .thread = lane.thread,
                       .arrived = barrier.arrived,
                       .expected = barrier.expected});
  LaneMask &arriving = barrier.arriving[lane.warp];
  arriving |= bitOf(lane);
  barrier.expected = expectedAt(threads);
  if (arriving != lanes.wholeWarp)
    return;
  arriving = 0;
  barrier.counted.set(lane.warp);
  copies.comeToBarrier(lane);
  timing.arriveAtBarrier(lane.warp, unsigned(&barrier - barriers.data()));
  barrier.arrived += lanes.warpSize;
  LaneMask waiting = barrier.waiting[lane.warp];
  orders.forEach([&](unsigned memory, WarpOrder &order) {
    order.passOn(lane.warp, lanes.wholeWarp & ~waiting, barrier.passedOn[memory]);
  });
  forEachFence(lane.warp, waiting, &Fences::before,
               [&](unsigned memory, WarpOrder &order, LaneMask alike, uint32_t effects) {
                 order.waitAtBarrier(lane.warp, alike, effects, barrier.passedOn[memory]);
               });
  if (barrier.arrived >= barrier.expected)
    open(barrier, &lane);
}

template <typename Function>
void Barriers::forEachFence(uint32_t warp, LaneMask which, uint32_t Fences::*place, Function function) {
  static constexpr uint32_t kOfMemory[] = {host_abi::kOfShared, host_abi::kOfGlobal};
  while (which) {
    uint32_t effects = waiterOf(warp, firstOf(which)).fences.*place;
    LaneMask alike = 0;
    forEachLane(which, [&](unsigned lane) {
      if (waiterOf(warp, lane).fences.*place == effects)
        alike |= LaneMask(1) << lane;
    });
    orders.forEach([&](unsigned memory, WarpOrder &order) {
      function(memory, order, alike, effects & kOfMemory[memory] ? effects : 0);
    });
    which &= ~alike;
  }
}

void Barriers::leave() {
  Barrier &barrier = barriers[0];
  if (program.target->barriersSkipEndedWarps && barrier.arrived && barrier.arrived == expectedAt(0))
    open(barrier, nullptr);
}

void Barriers::open(Barrier &barrier, const Lane *running) {
  ++openings;
  auto id = unsigned(&barrier - barriers.data());
  Clocks opened = timing.openBarrier(id);
  auto forEachReleased = [&](auto function) {
    for (uint32_t warp = 0; warp < lanes.warpCount(); ++warp)
      if (LaneMask released = barrier.waiting[warp] & ~barrier.arriving[warp])
        function(warp, released);
  };
  if (barrier.reduces) {
    forEachReleased([&](uint32_t warp, LaneMask released) {
      forEachLane(released, [&](unsigned lane) { barrier.holding += waiterOf(warp, lane).reduction.predicate; });
    });
    forEachReleased([&](uint32_t warp, LaneMask released) {
      forEachLane(released, [&](unsigned lane) {
        Waiter &waiter = waiterOf(warp, lane);
        if (waiter.reduction.kind)
          waiter.result = barrier.reduce(*waiter.reduction.kind);
      });
    });
  }
  forEachReleased([&](uint32_t warp, LaneMask released) {
    lanes.wake(warp, released & ~(running && running->warp == warp ? bitOf(*running) : 0));
    forEachFence(warp, released, &Fences::after,
                 [&](unsigned memory, WarpOrder &order, LaneMask alike, uint32_t effects) {
                   order.leaveBarrier(warp, alike, barrier.passedOn[memory], openings, effects);
                 });
    if (released & 1)
      timing.leaveBarrier(warp, lanes.lane(warp, 0).waitSite, opened);
  });
  barrier = withoutReleased(barrier);
}

Barriers::Barrier Barriers::withoutReleased(const Barrier &barrier) {
  auto numWarps = uint32_t(barrier.arriving.size());
  Barrier next(numWarps);
  for (uint32_t warp = 0; warp < numWarps; ++warp)
    if (barrier.arriving[warp]) {
      next.arriving[warp] = barrier.arriving[warp];
      next.waiting[warp] = barrier.waiting[warp] & barrier.arriving[warp];
      next.expected = barrier.expected;
      next.reduces = barrier.reduces;
    }
  return next;
}

void Barriers::appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const {
  for (const Barrier &barrier : barriers)
    appendBySite(stuck, lanes,
                 {.where = StuckLanes::Where::Barrier,
                  .warp = warp,
                  .lanes = barrier.waiting[warp],
                  .arrived = barrier.arrivedThreads(),
                  .expected = barrier.expected});
}

} // namespace hocket::emulator
