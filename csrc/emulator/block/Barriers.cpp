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

Barriers::Barriers(const Program &program, LaneRunner &lanes, WarpScheduler &scheduler, BlockOrders orders,
                   BlockTiming &timing)
    : program(program), lanes(lanes), scheduler(scheduler), orders(orders), timing(timing),
      waiters(program.blockSize()) {}

void Barriers::begin() {
  for (Barrier &barrier : barriers)
    if (barrier.expected)
      barrier = Barrier();
}

uint32_t Barriers::expectedAt(uint32_t threads) const {
  if (threads)
    return threads;
  uint32_t expected = program.blockSize();
  if (program.target->vendor == Vendor::Amd)
    for (uint32_t warp = 0; warp < lanes.warpCount(); ++warp)
      if (lanes.hasFinished(warp))
        expected -= lanes.warpSize;
  return expected;
}

void Barriers::arrive(Lane &lane, uint32_t id, uint32_t threads, bool predicate) {
  Barrier &barrier = barriers[id % kCount];
  LaneMask &arriving = barrier.arriving[lane.warp];
  arriving |= bitOf(lane);
  waiters[lane.thread].predicate = predicate;
  barrier.expected = expectedAt(threads);
  orders.forEach([&](unsigned, WarpOrder &order) { order.arrive(lane); });
  if (arriving != lanes.wholeWarp)
    return;
  arriving = 0;
  timing.arriveAtBarrier(lane.warp, id % kCount);
  barrier.arrived += lanes.warpSize;
  orders.forEach([&](unsigned memory, WarpOrder &order) { order.passOn(lane.warp, barrier.passedOn[memory]); });
  if (barrier.arrived >= barrier.expected)
    open(barrier, &lane);
}

uint32_t Barriers::wait(Lane &lane, uint32_t id, uint32_t threads, uint32_t site,
                        std::optional<BarrierReduction> reduction, bool predicate) {
  Barrier &barrier = barriers[id % kCount];
  lane.waitSite = site;
  barrier.waiting[lane.warp] |= bitOf(lane);
  waiters[lane.thread].reduction = reduction;
  arrive(lane, id, threads, predicate);
  if (barrier.waiting[lane.warp] & bitOf(lane))
    lanes.suspend(lane);
  else if (scheduler.isAnotherPreferred(lane.warp))
    lanes.endTurn(lane);
  return waiters[lane.thread].result;
}

void Barriers::leave() {
  Barrier &barrier = barriers[0];
  if (program.target->vendor == Vendor::Amd && barrier.arrived && barrier.arrived == expectedAt(0))
    open(barrier, nullptr);
}

void Barriers::open(Barrier &barrier, const Lane *running) {
  ++openings;
  auto id = unsigned(&barrier - barriers.data());
  Clocks opened = timing.openBarrier(id);
  auto forEachReleased = [&](auto function) {
    for (uint32_t warp = 0; warp < lanes.warpCount(); ++warp)
      forEachLane(barrier.waiting[warp] & ~barrier.arriving[warp],
                  [&](unsigned number) { function(lanes.lane(warp, number)); });
  };
  forEachReleased([&](Lane &lane) { barrier.holding += waiters[lane.thread].predicate; });
  forEachReleased([&](Lane &lane) {
    if (&lane != running)
      lanes.wake(lane.warp, bitOf(lane));
    Waiter &waiter = waiters[lane.thread];
    waiter.result = waiter.reduction ? barrier.reduce(*waiter.reduction) : 0;
    orders.forEach(
        [&](unsigned memory, WarpOrder &order) { order.leaveBarrier(lane, barrier.passedOn[memory], openings); });
    if (lane.lane == 0)
      timing.leaveBarrier(lane.warp, lane.waitSite, opened);
  });
  barrier = withoutReleased(barrier);
}

Barriers::Barrier Barriers::withoutReleased(const Barrier &barrier) {
  Barrier next;
  for (uint32_t warp = 0; warp < kMaxWarps; ++warp)
    if (barrier.arriving[warp]) {
      next.arriving[warp] = barrier.arriving[warp];
      next.waiting[warp] = barrier.waiting[warp] & barrier.arriving[warp];
      next.expected = barrier.expected;
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
