//===- Deadlock.cpp - Collects the waiting lanes of a deadlock --------------------------------===//
#include "emulator/faults/Deadlock.h"

#include "emulator/block/Barriers.h"
#include "emulator/block/ClusterBarrier.h"
#include "emulator/block/Mbarriers.h"
#include "emulator/block/Rendezvous.h"
#include "emulator/block/SpinWatch.h"

#include <algorithm>

namespace hocket::emulator {

void appendBySite(std::vector<StuckLanes> &stuck, const LaneRunner &lanes, StuckLanes waiting) {
  auto siteOf = [&](unsigned lane) { return lanes.lane(waiting.warp, lane).waitSite; };
  while (waiting.lanes) {
    StuckLanes here = waiting;
    here.site = siteOf(firstOf(waiting.lanes));
    here.lanes = 0;
    forEachLane(waiting.lanes, [&](unsigned lane) {
      if (siteOf(lane) == here.site)
        here.lanes |= LaneMask(1) << lane;
    });
    if (here.where == StuckLanes::Where::Shuffle)
      here.arrived = uint32_t(std::popcount(here.lanes));
    waiting.lanes &= ~here.lanes;
    stuck.push_back(here);
  }
}

BlockFault collectDeadlock(const LaneRunner &lanes, const Rendezvous &rendezvous, const Barriers &barriers,
                           const ClusterBarrier &cluster, const Mbarriers &mbarriers, const SpinWatch *spins) {
  BlockFault fault = {.kind = FailureKind::Deadlock};
  if (spins) {
    fault.inLoops = true;
    spins->appendWaiting(lanes, fault.stuck);
  }
  for (uint32_t warp = 0; warp < lanes.warpCount(); ++warp) {
    // If some lanes spin, the report omits the other waiting lanes, because these wait for the spinning lanes.
    if (!spins) {
      rendezvous.appendStuck(warp, fault.stuck);
      barriers.appendStuck(warp, fault.stuck);
      cluster.appendStuck(warp, fault.stuck);
      mbarriers.appendStuck(warp, fault.stuck);
    }
    if (LaneMask finished = lanes.finishedLanes(warp))
      fault.stuck.push_back({.where = StuckLanes::Where::Finished, .warp = warp, .lanes = finished});
  }
  auto first = std::ranges::find_if(fault.stuck,
                                    [](const StuckLanes &stuck) { return stuck.where != StuckLanes::Where::Finished; });
  if (first == fault.stuck.end())
    return fault;
  fault.site = first->site;
  fault.thread = first->warp * lanes.warpSize + firstOf(first->lanes);
  return fault;
}

} // namespace hocket::emulator
