//===- HappensBefore.cpp - Happens-before order within a block ----------------------------------===//
#include "emulator/races/HappensBefore.h"

namespace hocket::emulator {

using Kind = MomentStep::Kind;

/// Epochs restart at 0 in the next block after they exceed this.
static constexpr Epoch kLastStart = 1 << 30;

bool HappensBefore::beginBlock() {
  bool restarts = highest > kLastStart;
  start = restarts ? 0 : highest;
  highest = start + 1;
  return restarts;
}

MomentRef HappensBefore::firstMoment(uint32_t warp) {
  MomentRef first(take());
  Moment &moment = *first.moment;
  moment.warp = warp;
  moment.now.epochs.fill(start);
  moment.released = moment.pending = VectorClock();
  moment.epoch = moment.now[warp] = start + 1;
  updateFloor(moment);
  return first;
}

MomentRef HappensBefore::makeRelease(const MomentRef &moment) {
  MomentRef after = append(moment, {Kind::Release});
  after.moment->released = after.moment->now;
  after.moment->epoch = ++after.moment->now[moment->warp];
  highest = std::max(highest, after->epoch);
  return after;
}

MomentRef HappensBefore::makeReceive(const MomentRef &moment, const VectorClock &passedOn, uint64_t number) {
  MomentRef after = append(moment, {Kind::Receive, number});
  after.moment->pending.join(passedOn);
  return after;
}

MomentRef HappensBefore::makeAcquire(const MomentRef &moment) {
  MomentRef after = append(moment, {Kind::Acquire});
  Moment &made = *after.moment;
  made.now.join(made.pending);
  // Warps that pass the same barriers keep the same epoch, so that the shadow memory can store their reads together.
  Epoch others = start;
  for (uint32_t warp = 0; warp < warps; ++warp)
    if (warp != made.warp)
      others = std::max(others, made.now[warp]);
  made.epoch = made.now[made.warp] = std::max(made.epoch, others + 1);
  highest = std::max(highest, made.epoch);
  updateFloor(made);
  return after;
}

void HappensBefore::updateFloor(Moment &moment) const {
  moment.floor = kLastEpoch;
  for (uint32_t warp = 0; warp < warps; ++warp)
    if (warp != moment.warp)
      moment.floor = std::min(moment.floor, moment.now[warp]);
}

/// Returns a copy of `moment` that the next lane to make the same step will find.
MomentRef HappensBefore::append(const MomentRef &moment, MomentStep step) {
  MomentRef after(take());
  Moment &from = *moment.moment, &to = *after.moment;
  to.now = from.now;
  to.released = from.released;
  to.pending = from.pending;
  to.warp = from.warp;
  to.epoch = from.epoch;
  to.floor = from.floor;
  MomentRef forgotten;
  forgotten.moment = from.next; // its reference is dropped with `forgotten`
  from.step = step;
  from.next = &to;
  ++to.references;
  return after;
}

Moment *HappensBefore::take() {
  if (unused.empty()) {
    Moment &made = moments.emplace_back();
    made.owner = this;
    unused.reserve(moments.size());
    return &made;
  }
  Moment *moment = unused.back();
  unused.pop_back();
  return moment;
}

void HappensBefore::giveBack(Moment *moment) {
  // A long chain without other owners is freed link by link, without recursion.
  while (moment) {
    Moment *next = std::exchange(moment->next, nullptr);
    moment->step = {};
    unused.push_back(moment);
    moment = next && --next->references == 0 ? next : nullptr;
  }
}

} // namespace hocket::emulator
