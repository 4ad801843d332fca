//===- BlockRunner.cpp - Runs one block after the other on one thread --------------------------===//
#include "emulator/block/BlockRunner.h"

#include "emulator/faults/Deadlock.h"

#include <algorithm>

namespace hocket::emulator {

BlockRunner::BlockRunner(EmulatedLaunch &launch, bool polls)
    : lanes(launch.program, [this](Lane &lane) { runLane(lane); }), faults(launch.program, lanes),
      timing(launch.program), spins(launch.program), scheduler(launch.options, lanes, timing),
      global(launch, lanes, faults, spins), shared(launch, lanes, faults, spins), rendezvous(lanes),
      copies(launch, lanes, faults, shared), barriers(launch.program, lanes, scheduler, faults, copies,
                                                      {shared.races().warpOrder(), global.warpOrder()}, timing),
      cluster(launch.program, lanes, faults, {shared.races().warpOrder(), global.warpOrder()}),
      mbarriers(launch, lanes, scheduler, faults, shared, copies, global.warpOrder(), timing),
      tensors(launch, faults, shared, global, mbarriers, timing), stores(launch, faults, shared, mbarriers, timing),
      wgmmas(launch, lanes, faults, shared), prints(launch), launch(launch), program(launch.program), polls(polls) {
  context.blockSize = program.threadsOfCta();
  context.sharedStride = program.sharedBytesOfCta();
  std::ranges::copy(launch.grid, context.gridSize);
  for (Lane &lane : lanes.allLanes()) {
    lane.block = &context;
    lane.shared = shared.bytes();
    lane.rank = lane.warp / program.warpsOfCta();
    lane.ownShared = lane.rank * program.sharedBytesOfCta();
    lane.watched = shared.isWatched();
    lane.runner = this;
  }
}

void BlockRunner::begin(uint64_t block) {
  number = block;
  std::ranges::copy(launch.blockIndex(block), context.blockIndex);
  iterationsPerTick = host_abi::kIterationsPerTick;
  for (Lane &lane : lanes.allLanes())
    lane.iterations = iterationsPerTick;
  isAbandoned = false;
  spins.begin();
  lanes.begin();
  faults.begin();
  bool keepsTime = launch.options.keepsTime || block < launch.options.recordedBlocks;
  timing.begin(keepsTime && !program.events.empty(), launch.options.clockStart);
  scheduler.begin(block);
  rendezvous.begin();
  copies.begin(block);
  barriers.begin();
  cluster.begin();
  mbarriers.begin(block);
  tensors.begin(block);
  stores.begin(block);
  wgmmas.begin(block);
  prints.begin();
  shared.begin();
  global.begin(block);
}

/// A block yields to another block after this number of consecutive scheduling rounds in which all its runnable warps
/// yield in loops: kRoundsInOrder for seed 0, kRounds for other seeds. A lane yields after 1024 loop iterations.
static constexpr unsigned kRoundsInOrder = 16, kRounds = 2;

/// Number of loop iterations between two ticks of a lane, in a block that may be waiting for other blocks.
static constexpr int32_t kIterationsWhileWaiting = 16;

std::optional<WarpScheduler::TimeSlice> BlockRunner::nextTimeSlice() {
  std::optional<WarpScheduler::TimeSlice> slice = scheduler.choose();
  while (!slice && mbarriers.deliver())
    slice = scheduler.choose();
  return slice;
}

bool BlockRunner::run() {
  hasGivenWay = false;
  scheduler.forgetRounds();
  unsigned rounds = 0;
  while (std::optional<WarpScheduler::TimeSlice> slice = nextTimeSlice()) {
    if (launch.stop.load(std::memory_order_relaxed))
      break;
    if (scheduler.roundsInLoops() > rounds) {
      rounds = scheduler.roundsInLoops();
      spins.endRound();
      mbarriers.deliver(); // a spinning lane may be waiting for a lane that waits for an arrival
    }
    bool onlyWaits = rounds > 0 && !spins.mayHaveProgressed();
    if (onlyWaits || rounds >= (launch.options.seed ? kRounds : kRoundsInOrder)) {
      iterationsPerTick = kIterationsWhileWaiting;
      return false;
    }
    lanes.run(slice->warp, slice->switches);
    if (polls)
      launch.poll();
    hasGivenWay = global.takeGivenWay();
    if (hasGivenWay)
      return false;
  }
  hasGivenWay = lanes.allFinished() && global.delaysEnd();
  if (hasGivenWay)
    return false;
  end();
  return true;
}

bool BlockRunner::mayHaveProgressed() const {
  auto accessesShared = [](const Site &site) { return host_abi::isShared(site.kind); };
  bool isAllSeen = shared.isWatched() || std::ranges::none_of(program.sites, accessesShared);
  return spins.mayHaveProgressed() || !isAllSeen || hasGivenWay;
}

void BlockRunner::endInLoops() {
  BlockFault fault = collectDeadlock(lanes, rendezvous, barriers, cluster, mbarriers, &spins);
  faults.reportDeadlock(std::move(fault));
  end();
}

void BlockRunner::runLane(Lane &lane) {
  lane.frame = static_cast<const std::byte *>(__builtin_frame_address(0));
  program.entry(&lane, launch.slots.data());
  tensors.leave(lane);
  cluster.leave(lane);
  shared.remote().leave(lane);
  lanes.finish(lane);
  shared.races().warpOrder().finish(lane);
  global.warpOrder().finish(lane);
  if (lanes.hasFinished(lane.warp))
    barriers.leave();
}

void BlockRunner::end() {
  global.performStores();
  bool allFinished = lanes.allFinished();
  if (allFinished) {
    tensors.end();
    stores.end();
  }
  if (!faults.first() && !allFinished && !launch.stop && !isAbandoned)
    faults.reportDeadlock(collectDeadlock(lanes, rendezvous, barriers, cluster, mbarriers, nullptr));
  if (std::optional<BlockFault> parted = allFinished && !faults.first() ? wgmmas.findParted() : std::nullopt)
    faults.report(*std::move(parted));
  if (!allFinished)
    lanes.abandon();
  shared.end(launch.bankTotals);
  if (allFinished)
    timing.finish(number, number < launch.options.recordedBlocks ? &launch.timelines : nullptr);
  faults.end(number);
  prints.end(number);
}

void BlockRunner::tick(Lane &lane, const std::byte *stack) {
  if (spins.isOn())
    spins.tick(lane, stack, lane.frame);
  lane.iterations = iterationsPerTick;
  global.performStores(); // other blocks may wait for the delayed stores
  isAbandoned |= launch.failedLongAgo();
  if (faults.first() || isAbandoned || launch.stop.load(std::memory_order_relaxed))
    lanes.suspend(lane); // the lane is never resumed
  scheduler.giveWay(lane.warp);
  lanes.yield(lane);
}

} // namespace hocket::emulator
