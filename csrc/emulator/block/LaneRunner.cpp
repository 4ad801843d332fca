//===- LaneRunner.cpp - Runs the lanes of a warp one after the other ---------------------------===//
#include "emulator/block/LaneRunner.h"

#include <algorithm>
#include <new>
#include <utility>

namespace hocket::emulator {

/// Bytes of stack below a lane's frame, for runtime calls, the C library and signal handlers. When a signal arrives,
/// such as that of Ctrl-C, the operating system saves the vector registers on the stack, up to 11 KiB. Up to 4 KiB at
/// the top of a stack are unused (shiftOf in Fiber.cpp).
static constexpr size_t kRuntimeStackBytes = 48 * 1024;

LaneRunner::LaneRunner(const Program &program, std::function<void(Lane &)> body)
    : warpSize(program.warpSize()), wholeWarp(warpSize == 64 ? ~LaneMask(0) : (LaneMask(1) << warpSize) - 1),
      body(std::move(body)), fibers(
                                 program.frameBytes + kRuntimeStackBytes,
                                 [](void *self) { static_cast<LaneRunner *>(self)->runLanes(); }, this),
      warps(program.numWarps), lanes(program.blockSize()), fiberOfLane(program.blockSize()) {
  for (uint32_t thread = 0; thread < lanes.size(); ++thread) {
    lanes[thread].thread = thread;
    lanes[thread].lane = thread % warpSize;
    lanes[thread].warp = thread / warpSize;
  }
}

void LaneRunner::begin() {
  for (Warp &warp : warps)
    warp = {.unstarted = wholeWarp};
  numFinished = 0;
  current = warpCount() - 1;
}

bool LaneRunner::allFinished() const {
  return std::ranges::all_of(warps, [&](const Warp &warp) { return warp.finished == wholeWarp; });
}

void LaneRunner::run(uint32_t warp, uint32_t switches) {
  current = warp;
  switchesLeft = switches;
  warps[warp].ready |= std::exchange(warps[warp].yielded, 0);
  fibers.switchTo(nextFiber());
  if (outOfMemory)
    throw std::bad_alloc();
}

Fiber &LaneRunner::nextFiber() {
  if (switchesLeft && --switchesLeft == 0)
    return fibers.main();
  return fiberThatCanRun();
}

Fiber &LaneRunner::fiberThatCanRun() {
  Warp &warp = warps[current];
  if (warp.ready) {
    unsigned first = firstOf(warp.ready);
    warp.ready &= warp.ready - 1;
    // A fiber's Fiber object is prefetched one switch earlier than its stack, so that neither access stalls.
    if (warp.ready) {
      fiberOf(current, firstOf(warp.ready))->prefetch();
      if (LaneMask later = warp.ready & (warp.ready - 1))
        __builtin_prefetch(fiberOf(current, firstOf(later)));
    }
    return *fiberOf(current, first);
  }
  if (warp.unstarted) {
    // Exceptions must not propagate through emulated code.
    try {
      return fibers.acquire();
    } catch (const std::bad_alloc &) {
      outOfMemory = true;
      return fibers.main();
    }
  }
  if (warp.converging && !warp.yielded) {
    warp.led = takeGroupAtOneSite(current);
    warp.ready = warp.led & -warp.led;
    return fiberThatCanRun();
  }
  if (warp.gathering && !warp.converging) {
    warp.ready = std::exchange(warp.gathering, 0);
    return fiberThatCanRun();
  }
  return fibers.main();
}

void LaneRunner::runLanes() {
  for (;;) {
    while (LaneMask &unstarted = warps[current].unstarted) {
      unsigned first = firstOf(unstarted);
      unstarted &= unstarted - 1;
      body(lane(current, first));
    }
    Fiber &next = nextFiber();
    fibers.release(fibers.current());
    fibers.switchTo(next);
  }
}

void LaneRunner::suspend(Lane &lane) {
  fiberOf(lane.warp, lane.lane) = &fibers.current();
  fibers.switchTo(nextFiber());
}

void LaneRunner::yield(Lane &lane) {
  warps[lane.warp].yielded |= bitOf(lane);
  suspend(lane);
}

void LaneRunner::endTimeSlice(Lane &lane) {
  warps[lane.warp].ready |= bitOf(lane);
  fiberOf(lane.warp, lane.lane) = &fibers.current();
  fibers.switchTo(fibers.main());
}

void LaneRunner::gather(Lane &lane) {
  Warp &warp = warps[lane.warp];
  if (warp.ready | warp.unstarted | warp.converging) {
    warp.gathering |= bitOf(lane);
    suspend(lane);
  } else {
    warp.ready |= std::exchange(warp.gathering, 0);
  }
}

LaneMask LaneRunner::takeGroupAtOneSite(uint32_t number) {
  Warp &warp = warps[number];
  if (!warp.siteDiffers)
    return std::exchange(warp.converging, 0);
  uint32_t site = ~0u;
  forEachLane(warp.converging, [&](unsigned i) { site = std::min(site, lane(number, i).waitSite); });
  LaneMask group = 0;
  forEachLane(warp.converging, [&](unsigned i) {
    if (lane(number, i).waitSite == site)
      group |= LaneMask(1) << i;
  });
  warp.converging &= ~group;
  return group;
}

LaneMask LaneRunner::converge(Lane &lane, uint32_t site) {
  Warp &warp = warps[lane.warp];
  lane.waitSite = site;
  if (!warp.converging) {
    warp.convergingSite = site;
    warp.siteDiffers = false;
  }
  warp.siteDiffers |= site != warp.convergingSite;
  warp.converging |= bitOf(lane);
  if (!(warp.ready | warp.unstarted | warp.yielded)) {
    LaneMask group = takeGroupAtOneSite(lane.warp);
    if (group & bitOf(lane))
      return group;
    warp.led = group;
    warp.ready |= group & -group;
  }
  suspend(lane);
  bool leads = (warp.led & -warp.led) == bitOf(lane);
  return leads ? std::exchange(warp.led, 0) : 0;
}

} // namespace hocket::emulator
