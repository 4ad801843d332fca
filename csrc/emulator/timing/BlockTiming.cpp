//===- BlockTiming.cpp - Keeps the clocks of a block that is being recorded ---------------===//
#include "emulator/timing/BlockTiming.h"

#include "emulator/block/BlockRunner.h"

namespace hocket::emulator {

static unsigned countResults(const Program &program) {
  int32_t last = -1;
  for (const TimedEvent &event : program.events)
    last = std::max(last, event.result);
  return unsigned(last + 1);
}

static VirtualClock::Model modelOf(const CostTable &costs) {
  return {.simds = unsigned(costs.simds), .queue = Clocks(costs.queue), .barrier = Clocks(costs.barrier)};
}

BlockTiming::BlockTiming(const Program &program)
    : clock(modelOf(*program.target->costs), program.numWarps, countResults(program)), program(program),
      warps(program.numWarps) {}

void BlockTiming::begin(unsigned warp, const TimedEvent &event) {
  Clocks before = clock.now(warp);
  clock.waitForResults(warp, event.uses);
  switch (event.kind) {
  case TimedKind::Fence:
    clock.waitForAccesses(warp, event.operand);
    break;
  case TimedKind::CommitCopies:
    clock.commitCopies(warp);
    break;
  case TimedKind::WaitForCopies:
    clock.waitForCopies(warp, event.operand);
    break;
  case TimedKind::Stage:
    warps[warp].beginStage(event.label, event.file, event.line, clock.now(warp));
    break;
  default:
    break;
  }
  if (clock.now(warp) > before)
    warps[warp].add(SliceKind::Wait, event.file, event.line, before, clock.now(warp));
}

static SliceKind sliceKindOf(TimedKind kind) {
  switch (kind) {
  case TimedKind::Matrix:
    return SliceKind::Matrix;
  case TimedKind::SharedLoad:
    return SliceKind::SharedLoad;
  case TimedKind::SharedStore:
    return SliceKind::SharedStore;
  case TimedKind::GlobalLoad:
    return SliceKind::GlobalLoad;
  case TimedKind::GlobalStore:
    return SliceKind::GlobalStore;
  case TimedKind::Atomic:
    return SliceKind::Atomic;
  case TimedKind::Copy:
    return SliceKind::Copy;
  case TimedKind::Shuffle:
    return SliceKind::Shuffle;
  default:
    return SliceKind::Arithmetic;
  }
}

void BlockTiming::end(unsigned warp, const TimedEvent &event, Clocks begin) {
  warps[warp].add(sliceKindOf(event.kind), event.file, event.line, begin, clock.now(warp));
}

void BlockTiming::leaveBarrier(unsigned warp, uint32_t site, Clocks opened) {
  const Diagnostic &place = program.sites[site].diagnostic;
  Clocks arrived = clock.now(warp);
  clock.moveTo(warp, opened);
  warps[warp].add(SliceKind::Barrier, place.file, place.line, arrived, clock.now(warp));
}

void BlockTiming::finish(uint64_t block, Timelines &timelines) {
  for (unsigned warp = 0; warp < warps.size(); ++warp)
    warps[warp].finish(clock.now(warp));
  timelines.add(block, warps);
}

// The block's side ----------------------------------------------------------------------------------------------------

/// Arithmetic is issued in parts of this length, so that warps of one SIMD unit take turns.
static constexpr uint32_t kPartOfArithmetic = 64;

void BlockRunner::keepTime(Lane &lane, uint32_t number) {
  if (!timing || lane.lane != 0)
    return;
  const TimedEvent &event = program.events[number];
  timing->begin(lane.warp, event);
  if (event.unit == TimedUnit::None)
    return;
  auto issue = [&](const TimedEvent &work) {
    Clocks begin = timing->clock.now(lane.warp);
    letEarlierRun(lane);
    while (!timing->clock.tryIssue(lane.warp, work))
      letEarlierRun(lane);
    timing->end(lane.warp, work, begin);
  };
  if (event.kind != TimedKind::Arithmetic)
    return issue(event);
  TimedEvent part = event;
  for (uint32_t left = event.busy; left; left -= part.busy) {
    part.issue = part.busy = std::min(left, kPartOfArithmetic);
    issue(part);
  }
}

void BlockRunner::letEarlierRun(Lane &lane) {
  for (const Warp &other : warps)
    if (other.canRun() && !other.gaveWay && timing->clock.isBefore(unsigned(&other - warps.data()), lane.warp)) {
      giveTurn(lane);
      return;
    }
}

Warp *BlockRunner::earliest(llvm::ArrayRef<Warp *> candidates) const {
  return *std::ranges::min_element(candidates, [&](const Warp *a, const Warp *b) {
    return timing->clock.isBefore(unsigned(a - warps.data()), unsigned(b - warps.data()));
  });
}

} // namespace hocket::emulator
