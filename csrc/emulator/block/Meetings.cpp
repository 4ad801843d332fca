//===- Meetings.cpp - Operations across the lanes of a warp ------------------------------------===//
#include "emulator/block/Meetings.h"

#include "emulator/faults/Deadlock.h"

namespace hocket::emulator {

void Meetings::begin() {
  for (Meeting &meeting : meetings)
    meeting.present = 0;
}

uint64_t Meetings::meet(Lane &lane, host_abi::CrossLaneOp op, uint64_t value, uint64_t a, uint64_t b, LaneMask members,
                        uint32_t site) {
  Meeting &meeting = meetings[lane.warp];
  CrossLaneOperands &operands = meeting.operands;
  members &= lanes.wholeWarp;
  lane.waitSite = site;
  if (!meeting.present) {
    meeting.site = site;
    operands.kind = op;
    operands.warpSize = lanes.warpSize;
    operands.members = members;
  }
  operands.value[lane.lane] = value;
  operands.a[lane.lane] = a;
  operands.b[lane.lane] = b;
  meeting.present |= bitOf(lane);
  // Lanes at another shuffle, or with another member mask, never match: they wait for each other forever.
  bool agrees = site == meeting.site && members == operands.members && (members & bitOf(lane));
  if (!agrees)
    operands.members = 0;
  if (meeting.present != operands.members) {
    lanes.suspend(lane);
    return meeting.results[lane.lane];
  }
  resolveCrossLane(operands, meeting.results);
  lanes.wake(lane.warp, members & ~bitOf(lane));
  meeting.present = 0;
  return meeting.results[lane.lane];
}

void Meetings::appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const {
  const Meeting &meeting = meetings[warp];
  LaneMask members = meeting.operands.members ? meeting.operands.members : lanes.wholeWarp;
  appendBySite(stuck, lanes,
               {.where = StuckLanes::Where::Shuffle,
                .warp = warp,
                .lanes = meeting.present,
                .expected = uint32_t(std::popcount(members))});
}

} // namespace hocket::emulator
