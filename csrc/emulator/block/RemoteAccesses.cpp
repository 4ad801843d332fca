//===- RemoteAccesses.cpp - Accesses of the shared memory of another block of the cluster ------===//
#include "emulator/block/RemoteAccesses.h"

namespace hocket::emulator {

RemoteAccesses::RemoteAccesses(const Program &program, const LaneRunner &lanes, BlockFaults &faults, WarpOrder &order)
    : program(program), lanes(lanes), faults(faults), order(order), isCluster(program.numCtas > 1),
      lastOf(program.numCtas), knownAtEnd(program.numCtas) {}

void RemoteAccesses::begin() {
  for (auto &last : lastOf)
    last.clear();
  std::ranges::fill(knownAtEnd, VectorClock());
}

bool RemoteAccesses::hasEnded(uint32_t rank) const {
  unsigned warps = program.warpsOfCta();
  for (unsigned warp = rank * warps; warp < (rank + 1) * warps; ++warp)
    if (!lanes.hasFinished(warp))
      return false;
  return true;
}

void RemoteAccesses::accessOther(Lane &lane, uint32_t rank, uint64_t offset, uint32_t site) {
  if (hasEnded(rank))
    faults.fail(lane, FailureKind::EndedBlock, site, offset);
  if (order.isKept())
    lastOf[rank][lane.warp] = {order.clocksOf(lane).epoch, site, lane.thread, offset};
}

void RemoteAccesses::leave(Lane &lane) {
  if (!isCluster || !order.isKept())
    return;
  knownAtEnd[lane.rank].join(order.clocksOf(lane).now);
  unsigned first = lane.rank * program.warpsOfCta(), last = first + program.warpsOfCta();
  LaneMask self = bitOf(lane);
  for (unsigned warp = first; warp < last; ++warp)
    if ((lanes.finishedLanes(warp) | (warp == lane.warp ? self : 0)) != lanes.wholeWarp)
      return;
  for (const auto &[warp, access] : lastOf[lane.rank])
    if (access.epoch > knownAtEnd[lane.rank][warp])
      return faults.report(
          {.kind = FailureKind::EndedBlock, .site = access.site, .thread = access.thread, .address = access.offset});
}

} // namespace hocket::emulator
