//===- BlockRunner.cpp - Runs the lanes of one block on one thread --------------------------===//
#include "emulator/block/BlockRunner.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hocket::emulator {

/// What runtime calls, the C library and a signal handler may need below a lane's frame. The handler of Ctrl-C finds
/// the vector registers saved above itself, up to 11 KiB of them; 4 KiB are left out at the top (Fiber.cpp).
static constexpr size_t kRuntimeStackBytes = 48 * 1024;

BlockRunner::BlockRunner(Launch &launch, bool polls)
    : launch(launch), program(launch.program), polls(polls),
      wholeWarp(program.warpSize() == 64 ? ~uint64_t(0) : (uint64_t(1) << program.warpSize()) - 1),
      fibers(
          program.frameBytes + kRuntimeStackBytes, [](void *runner) { static_cast<BlockRunner *>(runner)->runLanes(); },
          this),
      warps(program.numWarps), lanes(program.blockSize()), shared((program.sharedBytes + 15) / 16 * 2 + 2) {
  context.blockSize = program.blockSize();
  masked.fill(std::byte(0xff));
  // Vector accesses of shared memory are aligned to 16 bytes, and the offset 0 must be.
  auto *base = reinterpret_cast<std::byte *>(shared.data());
  base += -reinterpret_cast<uintptr_t>(base) & 15;
  for (uint32_t thread = 0; thread < lanes.size(); ++thread) {
    Lane &lane = lanes[thread];
    lane.block = &context;
    lane.shared = base;
    lane.thread = thread;
    lane.lane = thread % program.warpSize();
    lane.warp = thread / program.warpSize();
    lane.runner = this;
  }
  allowAccesses();
  watchShared();
  if (launch.races)
    accesses.emplace(*launch.races);
}

void BlockRunner::begin(uint64_t block) {
  number = block;
  Grid index = launch.blockIndex(block);
  std::copy(index.begin(), index.end(), context.blockIndex);
  std::copy(launch.grid.begin(), launch.grid.end(), context.gridSize);
  // All bits set is NaN in every float format and -1 as an index: reading what was never written shows.
  std::memset(lanes[0].shared, 0xff, program.sharedBytes);
  for (Warp &warp : warps) {
    warp.unstarted = wholeWarp;
    warp.priority = 0;
    warp.gaveWay = false;
    warp.ready = warp.yielded = warp.finished = warp.gathering = warp.meeting = warp.atBarrier = 0;
    warp.converging = warp.led = 0;
  }
  for (Barrier &barrier : barriers)
    if (barrier.expected)
      barrier = Barrier();
  for (Lane &lane : lanes)
    lane.iterations = host_abi::kIterationsPerTick;
  iterationsPerTick = host_abi::kIterationsPerTick;
  current = &warps.back();
  fault.reset();
  isAbandoned = false;
  bool isRecorded = block < launch.options.recordedBlocks && !program.events.empty();
  timing = isRecorded ? std::make_unique<BlockTiming>(program) : nullptr;
  beginBlockOfShared(block);
  if (accesses)
    accesses->begin(block);
  drawOrder(block);
}

/// A warp gives its turn up after 1024 iterations. Blocks do not take turns in the natural order unless they have to.
static constexpr unsigned kRoundsInOrder = 16, kRounds = 2;

/// Of a block that waits for others: what it looks at again and again.
static constexpr int32_t kIterationsWhileWaiting = 16;

bool BlockRunner::run() {
  roundsInLoops = 0;
  while (Warp *warp = chooseWarp()) {
    if (launch.stop.load(std::memory_order_relaxed))
      break;
    if (roundsInLoops >= (launch.options.seed ? kRounds : kRoundsInOrder)) {
      iterationsPerTick = kIterationsWhileWaiting;
      return false;
    }
    current = warp;
    warp->ready |= std::exchange(warp->yielded, 0);
    fibers.switchTo(nextFiber());
    if (outOfMemory)
      throw std::bad_alloc();
    if (polls)
      launch.poll();
  }
  end();
  return true;
}

void BlockRunner::end() {
  bool allFinished = std::ranges::all_of(warps, [&](const Warp &warp) { return warp.finished == wholeWarp; });
  if (!fault && !allFinished && !launch.stop && !isAbandoned)
    fault = describeDeadlock();
  if (!allFinished)
    fibers.restartAll();
  if (bankCounter)
    bankCounter->endBlock(launch.bankTotals);
  if (timing && allFinished)
    timing->finish(number, launch.timelines);
  if (fault)
    fault->block = number;
}

Fiber &BlockRunner::nextFiber() {
  if (turn && --turn == 0)
    return fibers.main();
  if (current->ready) {
    unsigned lane = unsigned(std::countr_zero(current->ready));
    current->ready &= current->ready - 1;
    return *lanes[size_t(current - warps.data()) * program.warpSize() + lane].fiber;
  }
  if (current->unstarted) {
    // No exception may pass through emulated code.
    try {
      return fibers.acquire();
    } catch (const std::bad_alloc &) {
      outOfMemory = true;
      return fibers.main();
    }
  }
  if (current->converging && !current->yielded) {
    current->led = groupAtOneSite(*current);
    current->ready = current->led & -current->led;
    return nextFiber();
  }
  if (current->gathering && !current->converging) {
    current->ready = std::exchange(current->gathering, 0);
    return nextFiber();
  }
  return fibers.main();
}

/// Lets the other lanes of the warp come as far as this one. Kernels that change an array in place rely on it: all
/// lanes have read before the first one writes.
void BlockRunner::gather(Lane &lane) {
  Warp &warp = warpOf(lane);
  if (warp.ready | warp.unstarted | warp.converging) {
    warp.gathering |= bitOf(lane);
    suspend(lane);
  } else {
    warp.ready |= std::exchange(warp.gathering, 0);
  }
}

/// The body of every fiber.
void BlockRunner::runLanes() {
  for (;;) {
    while (current->unstarted) {
      unsigned lane = unsigned(std::countr_zero(current->unstarted));
      current->unstarted &= current->unstarted - 1;
      Lane &started = lanes[size_t(current - warps.data()) * program.warpSize() + lane];
      program.entry(&started, launch.slots.data());
      finish(started);
    }
    Fiber &next = nextFiber();
    fibers.release(fibers.current());
    fibers.switchTo(next);
  }
}

void BlockRunner::suspend(Lane &lane) {
  lane.fiber = &fibers.current();
  fibers.switchTo(nextFiber());
}

void BlockRunner::finish(Lane &lane) {
  Warp &warp = warpOf(lane);
  warp.finished |= bitOf(lane);
  lane.moment = {};
  // AMD's barrier does not wait for waves that have ended.
  Barrier &barrier = barriers[0];
  if (warp.finished == wholeWarp && program.target->vendor == Vendor::Amd && barrier.arrived &&
      barrier.arrived == expectedAt(0))
    release(barrier);
}

void BlockRunner::fail(Lane &lane, FailureKind kind, uint32_t site, uint64_t address) {
  fail(lane, BlockFault{.kind = kind, .site = site, .thread = lane.thread, .address = address});
}

void BlockRunner::fail(Lane &lane, BlockFault failure) {
  // The other lanes go on until they wait: the lowest thread's fault is reported, whatever the order of warps.
  if (!fault || failure.thread < fault->thread)
    fault = std::move(failure);
  suspend(lane);
  __builtin_unreachable();
}

void BlockRunner::failAt(Lane &lane, uint32_t number, uint64_t detail) {
  const Site &site = program.sites[number];
  switch (site.kind) {
  case host_abi::SiteKind::Division:
    fail(lane, FailureKind::DivisionByZero, number, 0);
  case host_abi::SiteKind::Assert:
    fail(lane, FailureKind::Assertion, number, 0);
  default:
    bool inside = detail + site.bytes <= program.sharedBytes && detail + site.bytes >= detail;
    fail(lane, inside ? FailureKind::Misaligned : FailureKind::OutOfBounds, number, detail);
  }
}

} // namespace hocket::emulator
