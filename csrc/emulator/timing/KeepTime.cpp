//===- KeepTime.cpp - Advances a warp's virtual clock by its work ------------------------------===//
#include "emulator/timing/KeepTime.h"

#include <algorithm>

namespace hocket::emulator {

/// Maximum duration, in clocks, of a part of arithmetic work. Arithmetic is issued in parts, so that the warps of one
/// SIMD interleave.
static constexpr uint32_t kPartOfArithmetic = 64;

static void issue(BlockTiming &timing, WarpScheduler &scheduler, Lane &lane, const TimedEvent &work) {
  Clocks begin = timing.clock().now(lane.warp);
  scheduler.letEarlierRun(lane);
  while (!timing.clock().tryIssue(lane.warp, work))
    scheduler.letEarlierRun(lane);
  timing.endEvent(lane.warp, work, begin);
}

void keepTime(BlockTiming &timing, WarpScheduler &scheduler, Lane &lane, uint32_t number) {
  if (!timing.isRecording() || lane.lane != 0)
    return;
  const TimedEvent &event = timing.eventAt(number);
  timing.beginEvent(lane.warp, event);
  if (event.unit == TimedUnit::None)
    return;
  if (event.kind != TimedKind::Arithmetic)
    return issue(timing, scheduler, lane, event);
  TimedEvent part = event;
  for (uint32_t left = event.busy; left; left -= part.busy) {
    part.issue = part.busy = std::min(left, kPartOfArithmetic);
    issue(timing, scheduler, lane, part);
  }
}

} // namespace hocket::emulator
