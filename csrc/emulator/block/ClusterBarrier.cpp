//===- ClusterBarrier.cpp - The barrier of all blocks of a cluster -----------------------------===//
#include "emulator/block/ClusterBarrier.h"

#include "emulator/faults/Deadlock.h"

#include <utility>

namespace hocket::emulator {

ClusterBarrier::ClusterBarrier(const Program &program, LaneRunner &lanes, BlockFaults &faults, BlockOrders orders)
    : lanes(lanes), faults(faults), orders(orders), states(program.blockSize()), awaited(program.blockSize()),
      waiting(program.numWarps) {}

void ClusterBarrier::begin() {
  std::ranges::fill(states, State::Elsewhere);
  std::ranges::fill(waiting, 0);
  arrived = 0;
  expected = uint32_t(states.size());
  arriving = opened = {};
}

void ClusterBarrier::arrive(Lane &lane, bool isRelaxed, uint32_t site) {
  if (std::exchange(states[lane.thread], State::Arrived) == State::Arrived)
    faults.fail(lane, {.kind = FailureKind::ClusterBarrier, .site = site, .thread = lane.thread, .address = 1});
  if (!isRelaxed)
    orders.forEach([&](unsigned memory, WarpOrder &order) { order.releaseTo(lane, arriving[memory]); });
  awaited[lane.thread] = openings + 1;
  ++arrived;
  openIfComplete();
}

void ClusterBarrier::wait(Lane &lane, uint32_t site) {
  if (std::exchange(states[lane.thread], State::Elsewhere) == State::Elsewhere)
    faults.fail(lane, {.kind = FailureKind::ClusterBarrier, .site = site, .thread = lane.thread, .address = 0});
  lane.waitSite = site;
  while (openings < awaited[lane.thread]) {
    waiting[lane.warp] |= bitOf(lane);
    lanes.suspend(lane);
  }
  constexpr uint64_t kOfClusters = uint64_t(1) << 62; // larger than the completion numbers of mbarriers
  orders.forEach(
      [&](unsigned memory, WarpOrder &order) { order.acquireFrom(lane, opened[memory], kOfClusters | openings); });
}

void ClusterBarrier::leave(Lane &lane) {
  --expected;
  arrived -= states[lane.thread] == State::Arrived && awaited[lane.thread] > openings;
  openIfComplete();
}

void ClusterBarrier::openIfComplete() {
  if (arrived == 0 || arrived < expected)
    return;
  ++openings;
  arrived = 0;
  opened = std::exchange(arriving, {});
  for (uint32_t warp = 0; warp < lanes.warpCount(); ++warp)
    if (LaneMask woken = std::exchange(waiting[warp], 0))
      lanes.wake(warp, woken);
}

void ClusterBarrier::appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const {
  appendBySite(stuck, lanes,
               {.where = StuckLanes::Where::ClusterBarrier,
                .warp = warp,
                .lanes = waiting[warp],
                .arrived = arrived,
                .expected = expected});
}

} // namespace hocket::emulator
