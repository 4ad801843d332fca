//===- RuntimeCalls.cpp - The functions that emulated code calls -----------------------------===//
#include "emulator/host/RuntimeCalls.h"

#include "emulator/block/BlockRunner.h"

namespace hocket::emulator {

using host_abi::LaneContext;
using host_abi::SiteKind;

static Lane &laneOf(LaneContext *context) { return static_cast<Lane &>(*context); }

static void *global(LaneContext *context, void *address, uint32_t site, bool predicate) {
  Lane &lane = laneOf(context);
  return lane.runner->checkGlobal(lane, address, site, predicate);
}

static void ordered(LaneContext *context, void *address, uint32_t site, bool predicate, bool stored) {
  laneOf(context).runner->endOrderedAtomic(address, site, predicate, stored);
}

static void blockFence(LaneContext *context, uint32_t effects) { laneOf(context).runner->fenceBlocks(effects); }

static uint64_t exchange(LaneContext *context, host_abi::Exchange kind, uint64_t value, uint64_t a, uint64_t b,
                         uint64_t members, uint32_t site) {
  Lane &lane = laneOf(context);
  return lane.runner->exchange(lane, kind, value, a, b, members, site);
}

static void barrier(LaneContext *context, uint32_t id, uint32_t threads, uint32_t site) {
  Lane &lane = laneOf(context);
  lane.runner->waitAtBarrier(lane, id, threads, site, std::nullopt, false);
}

static void barrierArrive(LaneContext *context, uint32_t id, uint32_t threads, uint32_t site) {
  Lane &lane = laneOf(context);
  lane.runner->arriveAtBarrier(lane, id, threads, site, false);
}

static uint32_t barrierReduce(LaneContext *context, uint32_t id, uint32_t threads, host_abi::BarrierReduction reduction,
                              uint32_t predicate, uint32_t site) {
  Lane &lane = laneOf(context);
  return lane.runner->waitAtBarrier(lane, id, threads, site, reduction, predicate != 0);
}

static void priority(LaneContext *context, uint32_t priority) {
  Lane &lane = laneOf(context);
  lane.runner->setPriority(lane, priority);
}

static void tick(LaneContext *context) {
  Lane &lane = laneOf(context);
  lane.runner->tick(lane);
}

static void fault(LaneContext *context, uint32_t site, uint64_t detail) {
  Lane &lane = laneOf(context);
  lane.runner->failAt(lane, site, detail);
}

static void shared(LaneContext *context, uint64_t offset, const std::byte *stored, uint32_t site, bool violated) {
  Lane &lane = laneOf(context);
  if (violated)
    lane.runner->failAt(lane, site, offset);
  lane.runner->accessShared(lane, offset, stored, site);
}

static void fence(LaneContext *context, uint32_t effects) {
  Lane &lane = laneOf(context);
  lane.runner->fence(lane, effects);
}

static void gather(LaneContext *context) {
  Lane &lane = laneOf(context);
  lane.runner->gather(lane);
}

static void copyToShared(LaneContext *context, void *source, bool inside, uint64_t place, uint32_t readSite,
                         uint32_t writeSite) {
  Lane &lane = laneOf(context);
  void *checked = inside ? lane.runner->checkGlobal(lane, source, readSite, true) : nullptr;
  lane.runner->copyToShared(lane, static_cast<const std::byte *>(checked), place, writeSite);
}

static void commitCopies(LaneContext *context, uint32_t site) {
  Lane &lane = laneOf(context);
  lane.runner->commitCopies(lane, site);
}

static void waitForCopies(LaneContext *context, uint32_t outstanding, uint32_t site) {
  Lane &lane = laneOf(context);
  lane.runner->waitForCopies(lane, outstanding, site);
}

static void timed(LaneContext *context, uint32_t event) {
  Lane &lane = laneOf(context);
  lane.runner->keepTime(lane, event);
}

template <typename Function>
static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

std::span<const NamedFunction> runtimeCalls() {
  static const NamedFunction table[] = {
      {host_abi::kGlobal, addressOf(global)},
      {host_abi::kOrdered, addressOf(ordered)},
      {host_abi::kBlockFence, addressOf(blockFence)},
      {host_abi::kExchange, addressOf(exchange)},
      {host_abi::kBarrier, addressOf(barrier)},
      {host_abi::kBarrierArrive, addressOf(barrierArrive)},
      {host_abi::kBarrierReduce, addressOf(barrierReduce)},
      {host_abi::kPriority, addressOf(priority)},
      {host_abi::kTick, addressOf(tick)},
      {host_abi::kShared, addressOf(shared)},
      {host_abi::kFence, addressOf(fence)},
      {host_abi::kGather, addressOf(gather)},
      {host_abi::kCopyToShared, addressOf(copyToShared)},
      {host_abi::kCommitCopies, addressOf(commitCopies)},
      {host_abi::kWaitForCopies, addressOf(waitForCopies)},
      {host_abi::kFault, addressOf(fault)},
      {host_abi::kTimed, addressOf(timed)},
  };
  return table;
}

} // namespace hocket::emulator
