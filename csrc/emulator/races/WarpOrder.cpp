//===- WarpOrder.cpp - Happens-before order of the lanes of a block ---------------------------------===//
#include "emulator/races/WarpOrder.h"

#include <bit>
#include <utility>

namespace hocket::emulator {

WarpOrder::WarpOrder(const Program &program, bool isWanted) : program(program) {
  if (!isWanted)
    return;
  order.emplace(program.numWarps);
  lanes.resize(program.blockSize());
}

bool WarpOrder::begin() {
  if (!order)
    return false;
  bool restarts = order->beginBlock();
  for (uint32_t warp = 0; warp < program.numWarps; ++warp) {
    MomentRef moment = order->firstMoment(warp);
    first = moment->epoch;
    for (uint32_t lane = 0; lane < program.warpSize(); ++lane)
      lanes[warp * program.warpSize() + lane] = {.moment = moment, .arrival = {}};
  }
  hasMoved = false;
  releasedByAll = VectorClock();
  variables.clear();
  return restarts;
}

template <typename Step>
void WarpOrder::move(uint32_t warp, LaneMask which, Step step) {
  hasMoved = true;
  while (which) {
    MomentRef from = stateOf(warp, firstOf(which)).moment, to = step(from);
    LaneMask moved = 0;
    forEachLane(which, [&](unsigned lane) {
      MomentRef &moment = stateOf(warp, lane).moment;
      if (moment.get() == from.get()) {
        moment.pointTo(to);
        moved |= LaneMask(1) << lane;
      }
    });
    MomentRef::count(uint32_t(std::popcount(moved)), from, to);
    which &= ~moved;
  }
}

MomentRef WarpOrder::release(const MomentRef &moment) {
  hasMoved = true;
  bool isNew = !HappensBefore::hasReleased(moment);
  MomentRef after = order->release(moment);
  if (isNew)
    releasedByAll.join(after->released);
  return after;
}

MomentRef WarpOrder::fence(const MomentRef &moment, uint32_t effects) {
  MomentRef after = effects & host_abi::kAcquires ? order->acquire(moment) : moment;
  return effects & host_abi::kReleases ? release(after) : after;
}

void WarpOrder::fence(const Lane &lane, uint32_t effects) {
  if (order)
    move(lane.warp, bitOf(lane), [&](const MomentRef &moment) { return fence(moment, effects); });
}

void WarpOrder::finish(const Lane &lane) {
  if (order)
    lanes[lane.thread].moment = {};
}

void WarpOrder::arrive(const Lane &lane) {
  if (!order)
    return;
  LaneState &state = lanes[lane.thread];
  if (barriersOrder())
    state.moment = release(state.moment);
  state.arrival = state.moment;
}

void WarpOrder::passOn(uint32_t warp, LaneMask which, VectorClock &passedOn) {
  if (!order)
    return;
  forEachLane(which, [&](unsigned lane) {
    if (MomentRef arrival = std::exchange(stateOf(warp, lane).arrival, {}))
      passedOn.join(arrival->released);
  });
}

void WarpOrder::waitAtBarrier(uint32_t warp, LaneMask which, uint32_t effects, VectorClock &passedOn) {
  if (!order)
    return;
  if (barriersOrder()) // on AMD every lane waits
    forEachLane(which, [&](unsigned lane) { stateOf(warp, lane).arrival = {}; });
  move(warp, which, [&](const MomentRef &moment) {
    MomentRef fenced = effects ? fence(moment, effects) : moment, after = barriersOrder() ? release(fenced) : fenced;
    passedOn.join(after->released);
    return after;
  });
}

void WarpOrder::leaveBarrier(uint32_t warp, LaneMask which, const VectorClock &passedOn, uint64_t opening,
                             uint32_t effects) {
  if (!order)
    return;
  move(warp, which, [&](const MomentRef &moment) {
    MomentRef received = order->receive(moment, passedOn, opening << 1),
              after = barriersOrder() ? order->acquire(received) : received;
    return effects ? fence(after, effects) : after;
  });
}

void WarpOrder::releaseTo(const Lane &lane, VectorClock &passedOn) {
  if (!order)
    return;
  MomentRef &moment = lanes[lane.thread].moment;
  moment = release(moment);
  passedOn.join(moment->released);
}

void WarpOrder::acquireFrom(const Lane &lane, const VectorClock &passedOn, uint64_t number) {
  if (!order)
    return;
  hasMoved = true;
  MomentRef &moment = lanes[lane.thread].moment;
  if (passedOn.isWithin(moment->now))
    return;
  constexpr uint64_t kOfMbarriers = uint64_t(1) << 63; // out of the range of barrier numbers and atomic accesses
  moment = order->acquire(order->receive(moment, passedOn, kOfMbarriers | number));
}

void WarpOrder::access(const Lane &lane, const AtomicAccess &atomic) {
  if (!order)
    return;
  hasMoved = true;
  MomentRef &moment = lanes[lane.thread].moment;
  if (atomic.releases)
    moment = release(moment);
  VectorClock &variable = variables[atomic.address];
  if (atomic.isForeign)
    variable.join(releasedByAll);
  // Odd numbers never collide with those of barriers. Most accesses add nothing.
  if (!variable.isWithin(moment->now) && !variable.isWithin(moment->pending))
    moment = order->receive(moment, variable, ++receipts << 1 | 1);
  if (atomic.acquires)
    moment = order->acquire(moment);
  if (atomic.stored)
    variable.join(moment->released);
}

} // namespace hocket::emulator
