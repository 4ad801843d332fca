//===- BlockTiming.cpp - Virtual clocks of recorded blocks -------------------------------------===//
#include "emulator/timing/BlockTiming.h"

namespace hocket::emulator {

static unsigned countResults(const Program &program) {
  int32_t last = -1;
  for (const TimedEvent &event : program.events)
    last = std::max(last, event.result);
  return unsigned(last + 1);
}

static VirtualClock::Model modelOf(const CostTable &costs) {
  return {.simds = unsigned(costs.simds),
          .queue = Clocks(costs.queue),
          .barrier = Clocks(costs.barrier),
          .memoryBytes = Clocks(costs.memoryBytesPerClock),
          .memoryLatency = Clocks(costs.memoryLatency)};
}

void BlockTiming::begin(bool records, Clocks atStart) {
  virtualClock.reset();
  start = atStart;
  readings.assign(program.numWarps, 0);
  if (!records)
    return;
  virtualClock.emplace(modelOf(*program.target->costs), program.numWarps, countResults(program));
  warps.assign(program.numWarps, WarpTimeline());
}

Clocks BlockTiming::readClock(unsigned warp, unsigned lane) {
  if (virtualClock)
    return start + virtualClock->now(warp);
  return start + (lane == 0 ? readings[warp]++ : readings[warp]);
}

void BlockTiming::setPriority(unsigned warp, uint32_t priority) {
  if (virtualClock)
    virtualClock->setPriority(warp, priority);
}

Clocks BlockTiming::startLoad(unsigned warp, uint64_t bytes) {
  return virtualClock ? virtualClock->startLoad(warp, bytes) : 0;
}

void BlockTiming::startStore(unsigned warp, uint64_t bytes) {
  if (virtualClock)
    virtualClock->startStore(warp, bytes);
}

Clocks BlockTiming::arrivalOfCopies(unsigned warp, host_abi::CopyCounter counter) {
  return virtualClock ? virtualClock->arrivalOfCopies(warp, counter) : 0;
}

void BlockTiming::arriveAtBarrier(unsigned warp, unsigned barrier) {
  if (virtualClock)
    virtualClock->arrive(warp, barrier);
}

Clocks BlockTiming::openBarrier(unsigned barrier) { return virtualClock ? virtualClock->open(barrier) : 0; }

void BlockTiming::leaveBarrier(unsigned warp, uint32_t site, Clocks opened) {
  if (!virtualClock)
    return;
  const Diagnostic &place = program.sites[site].diagnostic;
  Clocks arrived = clock().now(warp);
  clock().moveTo(warp, opened);
  warps[warp].add(SliceKind::Barrier, place.file, place.line, arrived, clock().now(warp));
}

void BlockTiming::beginEvent(unsigned warp, const TimedEvent &event) {
  Clocks before = clock().now(warp);
  clock().waitForResults(warp, event.uses);
  switch (event.kind) {
  case TimedKind::Fence:
    clock().waitForAccesses(warp, event.operand);
    break;
  case TimedKind::CommitCopies:
    clock().commitCopies(warp, event.counter);
    break;
  case TimedKind::WaitForCopies:
    clock().waitForCopies(warp, event.counter, event.operand);
    break;
  case TimedKind::CommitWgmmas:
    clock().commit(warp, VirtualClock::Async::Wgmmas);
    break;
  case TimedKind::WaitForWgmmas:
    clock().waitFor(warp, VirtualClock::Async::Wgmmas, event.operand);
    break;
  case TimedKind::CommitStores:
    clock().commit(warp, VirtualClock::Async::Stores);
    clock().commit(warp, VirtualClock::Async::ReadsOfStores);
    break;
  case TimedKind::WaitForStores:
    clock().waitFor(warp, event.operand % 2 ? VirtualClock::Async::ReadsOfStores : VirtualClock::Async::Stores,
                    event.operand / 2);
    break;
  case TimedKind::Stage:
    warps[warp].beginStage(event.label, event.file, event.line, clock().now(warp));
    break;
  default:
    break;
  }
  if (clock().now(warp) > before)
    warps[warp].add(SliceKind::Wait, event.file, event.line, before, clock().now(warp));
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
  case TimedKind::Bulk:
    return SliceKind::Copy;
  case TimedKind::Shuffle:
    return SliceKind::Shuffle;
  default:
    return SliceKind::Arithmetic;
  }
}

void BlockTiming::endEvent(unsigned warp, const TimedEvent &event, Clocks begin) {
  if (event.kind == TimedKind::Wgmma) {
    auto [first, last] = clock().lastWgmma(warp);
    return warps[warp].add(SliceKind::Mma, event.file, event.line, first, last);
  }
  warps[warp].add(sliceKindOf(event.kind), event.file, event.line, begin, clock().now(warp));
}

void BlockTiming::finish(uint64_t block, Timelines *timelines) {
  if (!virtualClock || !timelines)
    return;
  for (unsigned warp = 0; warp < warps.size(); ++warp)
    warps[warp].finish(clock().now(warp));
  timelines->add(block, warps);
}

} // namespace hocket::emulator
