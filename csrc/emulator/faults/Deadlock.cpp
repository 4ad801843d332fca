//===- Deadlock.cpp - Who waits where when no lane can go on --------------------------------------===//
#include "emulator/block/BlockRunner.h"

#include <algorithm>
#include <bit>

namespace hocket::emulator {

/// Appends `waiting` to `all`, one entry per place in the source where its lanes wait.
static void appendBySite(std::vector<StuckLanes> &all, StuckLanes waiting, const Lane *lanesOfWarp) {
  while (waiting.lanes) {
    StuckLanes here = waiting;
    here.site = lanesOfWarp[std::countr_zero(waiting.lanes)].waitSite;
    here.lanes = 0;
    for (uint64_t left = waiting.lanes; left; left &= left - 1)
      if (lanesOfWarp[std::countr_zero(left)].waitSite == here.site)
        here.lanes |= left & -left;
    if (here.where == StuckLanes::Where::Shuffle)
      here.arrived = uint32_t(std::popcount(here.lanes));
    waiting.lanes &= ~here.lanes;
    all.push_back(here);
  }
}

BlockFault BlockRunner::describeDeadlock() const {
  BlockFault fault = {.kind = FailureKind::Deadlock};
  for (uint32_t number = 0; number < warps.size(); ++number) {
    const Warp &warp = warps[number];
    const Lane *lanesOfWarp = &lanes[number * program.warpSize()];
    uint64_t members = warp.exchange.members ? warp.exchange.members : wholeWarp;
    appendBySite(fault.stuck,
                 {.where = StuckLanes::Where::Shuffle,
                  .warp = number,
                  .lanes = warp.meeting,
                  .expected = uint32_t(std::popcount(members))},
                 lanesOfWarp);
    for (const Barrier &barrier : barriers)
      appendBySite(fault.stuck,
                   {.where = StuckLanes::Where::Barrier,
                    .warp = number,
                    .lanes = barrier.waiting[number],
                    .arrived = barrier.arrivedThreads(),
                    .expected = barrier.expected},
                   lanesOfWarp);
    if (warp.finished)
      fault.stuck.push_back({.where = StuckLanes::Where::Finished, .warp = number, .lanes = warp.finished});
  }
  auto first = std::ranges::find_if(fault.stuck,
                                    [](const StuckLanes &stuck) { return stuck.where != StuckLanes::Where::Finished; });
  fault.site = first->site;
  fault.thread = first->warp * program.warpSize() + unsigned(std::countr_zero(first->lanes));
  return fault;
}

} // namespace hocket::emulator
