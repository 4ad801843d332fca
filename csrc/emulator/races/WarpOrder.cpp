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
    ClockStateRef clocks = order->firstState(warp);
    first = clocks->epoch;
    for (uint32_t lane = 0; lane < program.warpSize(); ++lane)
      lanes[warp * program.warpSize() + lane] = {.clocks = clocks, .arrival = {}};
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
    ClockStateRef from = stateOf(warp, firstOf(which)).clocks, to = step(from);
    LaneMask moved = 0;
    forEachLane(which, [&](unsigned lane) {
      ClockStateRef &clocks = stateOf(warp, lane).clocks;
      if (clocks.get() == from.get()) {
        clocks.pointTo(to);
        moved |= LaneMask(1) << lane;
      }
    });
    ClockStateRef::count(uint32_t(std::popcount(moved)), from, to);
    which &= ~moved;
  }
}

ClockStateRef WarpOrder::release(const ClockStateRef &clocks) {
  hasMoved = true;
  bool isNew = !HappensBefore::hasReleased(clocks);
  ClockStateRef after = order->release(clocks);
  if (isNew)
    releasedByAll.join(after->released);
  return after;
}

ClockStateRef WarpOrder::fence(const ClockStateRef &clocks, uint32_t effects) {
  ClockStateRef after = effects & host_abi::kAcquires ? order->acquire(clocks) : clocks;
  return effects & host_abi::kReleases ? release(after) : after;
}

void WarpOrder::fence(const Lane &lane, uint32_t effects) {
  if (order)
    move(lane.warp, bitOf(lane), [&](const ClockStateRef &clocks) { return fence(clocks, effects); });
}

void WarpOrder::finish(const Lane &lane) {
  if (order)
    lanes[lane.thread].clocks = {};
}

void WarpOrder::arrive(const Lane &lane) {
  if (!order)
    return;
  LaneState &state = lanes[lane.thread];
  if (barriersOrder())
    state.clocks = release(state.clocks);
  state.arrival = state.clocks;
}

void WarpOrder::passOn(uint32_t warp, LaneMask which, VectorClock &passedOn) {
  if (!order)
    return;
  forEachLane(which, [&](unsigned lane) {
    if (ClockStateRef arrival = std::exchange(stateOf(warp, lane).arrival, {}))
      passedOn.join(arrival->released);
  });
}

void WarpOrder::waitAtBarrier(uint32_t warp, LaneMask which, uint32_t effects, VectorClock &passedOn) {
  if (!order)
    return;
  if (barriersOrder()) // on AMD, lanes do not arrive without waiting
    forEachLane(which, [&](unsigned lane) { stateOf(warp, lane).arrival = {}; });
  move(warp, which, [&](const ClockStateRef &clocks) {
    ClockStateRef fenced = effects ? fence(clocks, effects) : clocks,
                  after = barriersOrder() ? release(fenced) : fenced;
    passedOn.join(after->released);
    return after;
  });
}

void WarpOrder::leaveBarrier(uint32_t warp, LaneMask which, const VectorClock &passedOn, uint64_t opening,
                             uint32_t effects) {
  if (!order)
    return;
  move(warp, which, [&](const ClockStateRef &clocks) {
    ClockStateRef received = order->receive(clocks, passedOn, opening << 1),
                  after = barriersOrder() ? order->acquire(received) : received;
    return effects ? fence(after, effects) : after;
  });
}

void WarpOrder::releaseTo(const Lane &lane, VectorClock &passedOn) {
  if (!order)
    return;
  ClockStateRef &clocks = lanes[lane.thread].clocks;
  clocks = release(clocks);
  passedOn.join(clocks->released);
}

void WarpOrder::acquireFrom(const Lane &lane, const VectorClock &passedOn, uint64_t number) {
  if (!order)
    return;
  hasMoved = true;
  ClockStateRef &clocks = lanes[lane.thread].clocks;
  if (passedOn.isWithin(clocks->now))
    return;
  constexpr uint64_t kOfMbarriers = uint64_t(1) << 63; // no barrier or atomic access has a number this large
  clocks = order->acquire(order->receive(clocks, passedOn, kOfMbarriers | number));
}

void WarpOrder::access(const Lane &lane, const AtomicAccess &atomic) {
  if (!order)
    return;
  hasMoved = true;
  ClockStateRef &clocks = lanes[lane.thread].clocks;
  if (atomic.releases)
    clocks = release(clocks);
  VectorClock &variable = variables[atomic.address];
  if (atomic.isForeign)
    variable.join(releasedByAll);
  // Atomic accesses have odd numbers, because the numbers of barriers are even. Most atomic accesses need no step,
  // because the lane already has the clocks of the value.
  if (!variable.isWithin(clocks->now) && !variable.isWithin(clocks->pending))
    clocks = order->receive(clocks, variable, ++receipts << 1 | 1);
  if (atomic.acquires)
    clocks = order->acquire(clocks);
  if (atomic.stored)
    variable.join(clocks->released);
}

} // namespace hocket::emulator
