//===- Rendezvous.cpp - Operations across the lanes of a warp ------------------------------------===//
#include "emulator/block/Rendezvous.h"

#include "emulator/faults/Deadlock.h"

namespace hocket::emulator {

void Rendezvous::begin() {
  for (Pending &pending : rendezvous)
    pending.present = 0;
}

uint64_t Rendezvous::exchange(Lane &lane, host_abi::CrossLaneOp op, uint64_t value, uint64_t a, uint64_t b,
                              LaneMask members, uint32_t site) {
  Pending &pending = rendezvous[lane.warp];
  CrossLaneOperands &operands = pending.operands;
  members &= lanes.wholeWarp;
  lane.waitSite = site;
  if (!pending.present) {
    pending.site = site;
    operands.kind = op;
    operands.warpSize = lanes.warpSize;
    operands.members = members;
  }
  operands.value[lane.lane] = value;
  operands.a[lane.lane] = a;
  operands.b[lane.lane] = b;
  pending.present |= bitOf(lane);
  // Lanes at different shuffles, or with different member masks, wait forever: their rendezvous never completes.
  bool agrees = site == pending.site && members == operands.members && (members & bitOf(lane));
  if (!agrees)
    operands.members = 0;
  if (pending.present != operands.members) {
    lanes.suspend(lane);
    return pending.results[lane.lane];
  }
  resolveCrossLane(operands, pending.results);
  lanes.wake(lane.warp, members & ~bitOf(lane));
  pending.present = 0;
  return pending.results[lane.lane];
}

void Rendezvous::appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const {
  const Pending &pending = rendezvous[warp];
  LaneMask members = pending.operands.members ? pending.operands.members : lanes.wholeWarp;
  appendBySite(stuck, lanes,
               {.where = StuckLanes::Where::Shuffle,
                .warp = warp,
                .lanes = pending.present,
                .expected = uint32_t(std::popcount(members))});
}

} // namespace hocket::emulator
