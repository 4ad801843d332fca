//===- HappensBefore.cpp - Happens-before order within a block ----------------------------------===//
#include "emulator/races/HappensBefore.h"

namespace hocket::emulator {

using Kind = ClockStep::Kind;

/// If epochs exceed this value, they restart at 0 in the next block.
static constexpr Epoch kLastStart = 1 << 30;

bool HappensBefore::beginBlock() {
  bool restarts = highest > kLastStart;
  start = restarts ? 0 : highest;
  highest = start + 1;
  return restarts;
}

ClockStateRef HappensBefore::firstState(uint32_t warp) {
  ClockStateRef first(take());
  ClockState &clocks = *first.clocks;
  clocks.warp = warp;
  clocks.now.epochs.fill(start);
  clocks.released = clocks.pending = VectorClock();
  clocks.epoch = clocks.now[warp] = start + 1;
  updateFloor(clocks);
  return first;
}

ClockStateRef HappensBefore::makeRelease(const ClockStateRef &clocks) {
  ClockStateRef after = append(clocks, {Kind::Release});
  after.clocks->released = after.clocks->now;
  after.clocks->epoch = ++after.clocks->now[clocks->warp];
  highest = std::max(highest, after->epoch);
  return after;
}

ClockStateRef HappensBefore::makeReceive(const ClockStateRef &clocks, const VectorClock &passedOn, uint64_t number) {
  ClockStateRef after = append(clocks, {Kind::Receive, number});
  after.clocks->pending.join(passedOn);
  return after;
}

ClockStateRef HappensBefore::makeAcquire(const ClockStateRef &clocks) {
  ClockStateRef after = append(clocks, {Kind::Acquire});
  ClockState &made = *after.clocks;
  made.now.join(made.pending);
  // Warps that pass the same barriers get the same epoch, so that the shadow memory can store their reads as one set.
  Epoch others = start;
  for (uint32_t warp = 0; warp < warps; ++warp)
    if (warp != made.warp)
      others = std::max(others, made.now[warp]);
  made.epoch = made.now[made.warp] = std::max(made.epoch, others + 1);
  highest = std::max(highest, made.epoch);
  updateFloor(made);
  return after;
}

void HappensBefore::updateFloor(ClockState &clocks) const {
  clocks.floor = kLastEpoch;
  for (uint32_t warp = 0; warp < warps; ++warp)
    if (warp != clocks.warp)
      clocks.floor = std::min(clocks.floor, clocks.now[warp]);
}

/// Returns a copy of `clocks` and stores it as the result of `step`, so that other lanes that make this step reuse the
/// copy.
ClockStateRef HappensBefore::append(const ClockStateRef &clocks, ClockStep step) {
  ClockStateRef after(take());
  ClockState &from = *clocks.clocks, &to = *after.clocks;
  to.now = from.now;
  to.released = from.released;
  to.pending = from.pending;
  to.warp = from.warp;
  to.epoch = from.epoch;
  to.floor = from.floor;
  ClockStateRef forgotten;
  forgotten.clocks = from.next; // `forgotten` takes over the reference of `from` and drops it
  from.step = step;
  from.next = &to;
  ++to.references;
  return after;
}

ClockState *HappensBefore::take() {
  if (unused.empty()) {
    ClockState &made = states.emplace_back();
    made.owner = this;
    unused.reserve(states.size());
    return &made;
  }
  ClockState *clocks = unused.back();
  unused.pop_back();
  return clocks;
}

void HappensBefore::giveBack(ClockState *clocks) {
  // A long chain of states that have no other owner is freed in a loop, not recursively.
  while (clocks) {
    ClockState *next = std::exchange(clocks->next, nullptr);
    clocks->step = {};
    unused.push_back(clocks);
    clocks = next && --next->references == 0 ? next : nullptr;
  }
}

} // namespace hocket::emulator
