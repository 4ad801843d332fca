//===- RuntimeCalls.cpp - Functions that emulated code calls ---------------------------------===//
#include "emulator/host/RuntimeCalls.h"

#include "conversion/lane_to_host/ops/ClockReads.h"
#include "emulator/block/BlockRunner.h"
#include "emulator/timing/KeepTime.h"

#include <algorithm>
#include <limits>

namespace hocket::emulator {

using host_abi::CopyCounter;
using host_abi::LaneContext;

static Lane &laneOf(LaneContext *context) { return static_cast<Lane &>(*context); }
static BlockRunner &blockOf(LaneContext *context) { return *laneOf(context).runner; }

static void *global(LaneContext *context, void *address, uint32_t site, bool predicate) {
  return blockOf(context).global.check(laneOf(context), address, site, predicate);
}

static void *globalShadow(LaneContext *context, void *address, bool isWritten) {
  return blockOf(context).global.shadowOf(address, isWritten);
}

static void ordered(LaneContext *context, void *address, uint32_t site, bool predicate, bool stored) {
  blockOf(context).global.endOrderedAtomic(laneOf(context), address, site, predicate, stored);
}

static void blockFence(LaneContext *context, uint32_t effects) { blockOf(context).global.fence(effects); }

static uint64_t crossLane(LaneContext *context, host_abi::CrossLaneOp op, uint64_t value, uint64_t a, uint64_t b,
                          uint64_t members, uint32_t site) {
  return blockOf(context).meetings.meet(laneOf(context), op, value, a, b, members, site);
}

static void barrier(LaneContext *context, uint32_t id, uint32_t threads, uint32_t site, uint32_t before,
                    uint32_t after) {
  blockOf(context).barriers.wait(laneOf(context), id, threads, site, {}, {before, after});
}

static void barrierArrive(LaneContext *context, uint32_t id, uint32_t threads, uint32_t site) {
  blockOf(context).barriers.arrive(laneOf(context), id, threads, site);
}

static uint32_t barrierReduce(LaneContext *context, uint32_t id, uint32_t threads, host_abi::BarrierReduction reduction,
                              uint32_t predicate, uint32_t site) {
  return blockOf(context).barriers.wait(laneOf(context), id, threads, site, {reduction, predicate != 0}, {});
}

static void clusterArrive(LaneContext *context, bool isRelaxed, uint32_t site) {
  blockOf(context).cluster.arrive(laneOf(context), isRelaxed, site);
}

static void clusterWait(LaneContext *context, uint32_t site) { blockOf(context).cluster.wait(laneOf(context), site); }

static void priority(LaneContext *context, uint32_t priority) {
  blockOf(context).scheduler.setPriority(laneOf(context), priority);
}

/// All live values of the lane are on the stack above this frame: emulated code assumes that this call preserves no
/// registers.
[[gnu::noinline]] static void tick(LaneContext *context) {
  auto *frame = static_cast<const std::byte *>(__builtin_frame_address(0));
  constexpr size_t kLinkBytes = 2 * sizeof(void *); // the caller's frame pointer, and the return address
  blockOf(context).tick(laneOf(context), frame + kLinkBytes);
}

static void fault(LaneContext *context, uint32_t site, uint64_t detail) {
  blockOf(context).faults.failAt(laneOf(context), site, detail);
}

static void shared(LaneContext *context, uint64_t offset, const std::byte *stored, uint32_t site, bool violated) {
  if (violated)
    blockOf(context).faults.failAt(laneOf(context), site, offset);
  blockOf(context).shared.access(laneOf(context), offset, stored, site);
}

static void sharedRow(LaneContext *context, const host_abi::SharedRow *row, const uint64_t *offsets,
                      const std::byte *stored, bool violated) {
  blockOf(context).shared.accessRow(laneOf(context), *row, offsets, stored, violated);
}

static bool storedRow(LaneContext *context, const host_abi::SharedRow *row, const uint64_t *offsets, bool violated) {
  return blockOf(context).shared.tryStoreRow(laneOf(context), *row, offsets, violated);
}

static void fence(LaneContext *context, uint32_t effects) {
  BlockRunner &block = blockOf(context);
  if (effects & host_abi::kOfShared)
    block.shared.races().warpOrder().fence(laneOf(context), effects);
  if (effects & host_abi::kOfGlobal)
    block.global.warpOrder().fence(laneOf(context), effects);
}

static void gather(LaneContext *context) { blockOf(context).lanes.gather(laneOf(context)); }

static void copyToShared(LaneContext *context, CopyCounter counter, void *source, bool inside, uint64_t place,
                         uint32_t readSite, uint32_t writeSite, bool apart, host_abi::AfterCopy after) {
  const auto *checked = static_cast<const std::byte *>(inside ? global(context, source, readSite, true) : nullptr);
  auto destination = uint32_t(std::min<uint64_t>(place, std::numeric_limits<uint32_t>::max()));
  blockOf(context).copies.copy(laneOf(context), counter, {checked, destination, writeSite, apart}, after);
}

static void commitCopies(LaneContext *context, CopyCounter counter, uint32_t site) {
  blockOf(context).copies.commit(laneOf(context), counter, site);
}

static void waitForCopies(LaneContext *context, CopyCounter counter, uint32_t outstanding, uint32_t site,
                          bool atBarrier) {
  if (atBarrier)
    blockOf(context).copies.waitAtBarrier(laneOf(context), counter, outstanding);
  else
    blockOf(context).copies.wait(laneOf(context), counter, outstanding, site);
}

static void storeTensor(LaneContext *context, const TensorMap *map, const int64_t *coordinates, uint64_t source,
                        host_abi::TensorReduction reduction, uint32_t readSite, uint32_t writeSite) {
  TensorCopies &tensors = blockOf(context).tensors;
  TensorCopies::Box box = {.map = tensors.keep(map),
                           .offset = source,
                           .reduction = reduction,
                           .sharedSite = readSite,
                           .globalSite = writeSite};
  std::copy_n(coordinates, map->rank, box.place.coordinates.begin());
  tensors.store(laneOf(context), box);
}

static void storeAsync(LaneContext *context, const std::byte *words, uint32_t bytes, uint64_t destination,
                       uint64_t barrier, uint32_t site) {
  blockOf(context).stores.store(laneOf(context), {words, bytes}, destination, barrier, site);
}

static void loadTensor(LaneContext *context, const TensorMap *map, const int64_t *coordinates, uint64_t destination,
                       uint64_t barrier, uint32_t blocks, uint32_t readSite, uint32_t writeSite) {
  TensorCopies &tensors = blockOf(context).tensors;
  TensorCopies::Box box = {
      .map = tensors.keep(map), .offset = destination, .sharedSite = writeSite, .globalSite = readSite};
  std::copy_n(coordinates, map->rank, box.place.coordinates.begin());
  if (map->isIm2col)
    std::copy_n(coordinates + map->rank, map->spatialRank(), box.place.offsets.begin());
  Lane &lane = laneOf(context);
  for (uint32_t rank = 0; rank < (blocks ? 32 : 1); ++rank) {
    if (blocks && !(blocks >> rank & 1))
      continue;
    // The destination has the same offset in each block, and so has the mbarrier.
    uint64_t distance = blocks ? lane.block->sharedStride * rank - lane.ownShared : 0;
    box.offset = destination + distance;
    tensors.load(lane, box, barrier + distance);
  }
}

static void replaceTensorMap(LaneContext *context, TensorMap *map, host_abi::TensorMapField field, uint32_t dimension,
                             uint64_t value, uint32_t site) {
  blockOf(context).tensors.replace(laneOf(context), *map, field, dimension, value, site);
}

static void commitStores(LaneContext *context) { blockOf(context).tensors.commitStores(laneOf(context)); }

static void waitForStores(LaneContext *context, uint32_t outstanding, bool readOnly) {
  blockOf(context).tensors.waitForStores(laneOf(context), outstanding, readOnly);
}

static void mbarrierInit(LaneContext *context, uint64_t offset, uint32_t count, uint32_t site) {
  blockOf(context).mbarriers.init(laneOf(context), offset, count, site);
}

static void mbarrierInvalidate(LaneContext *context, uint64_t offset, uint32_t site) {
  blockOf(context).mbarriers.invalidate(laneOf(context), offset, site);
}

static void mbarrierArrive(LaneContext *context, uint64_t offset, uint32_t count, uint32_t site) {
  blockOf(context).mbarriers.arrive(laneOf(context), offset, count, site);
}

static void mbarrierExpect(LaneContext *context, uint64_t offset, uint32_t bytes, uint32_t site) {
  blockOf(context).mbarriers.expectBytes(laneOf(context), offset, bytes, site);
}

static void mbarrierArriveCopies(LaneContext *context, uint64_t offset, bool increments, uint32_t site) {
  blockOf(context).mbarriers.arriveAfterCopies(laneOf(context), offset, increments, site);
}

static void mbarrierWait(LaneContext *context, uint64_t offset, uint32_t parity, uint32_t site) {
  blockOf(context).mbarriers.wait(laneOf(context), offset, parity, site);
}

static void multiplyByWarpgroup(LaneContext *context, const host_abi::WarpgroupProduct *product, uint32_t *operands,
                                uint32_t *shadows, uint64_t a, uint64_t b, bool useAcc, uint32_t site) {
  blockOf(context).products.multiply(laneOf(context), *product, {operands, shadows, a, b, useAcc}, site);
}

static void commitProducts(LaneContext *context, uint32_t site) {
  blockOf(context).products.commit(laneOf(context), site);
}

static void waitForProducts(LaneContext *context, uint32_t *accumulators, uint32_t *shadows, uint32_t count,
                            uint32_t outstanding, uint32_t site) {
  blockOf(context).products.wait(laneOf(context), {accumulators, shadows}, count, outstanding, site);
}

static void proxyFence(LaneContext *context, uint32_t memories) {
  if (memories & host_abi::kOfShared)
    blockOf(context).shared.races().fenceProxy(laneOf(context));
  if (memories & host_abi::kOfGlobal)
    blockOf(context).global.fenceProxy(laneOf(context));
}

static void print(LaneContext *context, const uint64_t *values, uint32_t site) {
  blockOf(context).prints.print(laneOf(context), values, site);
}

static void timed(LaneContext *context, uint32_t event) {
  BlockRunner &block = blockOf(context);
  keepTime(block.timing, block.scheduler, laneOf(context), event);
}

static uint64_t clock(LaneContext *context) { return blockOf(context).timing.readClock(context->warp, context->lane); }

template <typename Function>
static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

std::span<const NamedFunction> runtimeCalls() {
  static const NamedFunction table[] = {
      {host_abi::kGlobal, addressOf(global)},
      {host_abi::kGlobalShadow, addressOf(globalShadow)},
      {host_abi::kOrdered, addressOf(ordered)},
      {host_abi::kBlockFence, addressOf(blockFence)},
      {host_abi::kCrossLane, addressOf(crossLane)},
      {host_abi::kBarrier, addressOf(barrier)},
      {host_abi::kBarrierArrive, addressOf(barrierArrive)},
      {host_abi::kBarrierReduce, addressOf(barrierReduce)},
      {host_abi::kClusterArrive, addressOf(clusterArrive)},
      {host_abi::kClusterWait, addressOf(clusterWait)},
      {host_abi::kPriority, addressOf(priority)},
      {host_abi::kTick, addressOf(tick)},
      {host_abi::kShared, addressOf(shared)},
      {host_abi::kSharedRow, addressOf(sharedRow)},
      {host_abi::kStoredRow, addressOf(storedRow)},
      {host_abi::kFence, addressOf(fence)},
      {host_abi::kGather, addressOf(gather)},
      {host_abi::kCopyToShared, addressOf(copyToShared)},
      {host_abi::kCommitCopies, addressOf(commitCopies)},
      {host_abi::kWaitForCopies, addressOf(waitForCopies)},
      {host_abi::kStoreTensor, addressOf(storeTensor)},
      {host_abi::kLoadTensor, addressOf(loadTensor)},
      {host_abi::kStoreAsync, addressOf(storeAsync)},
      {host_abi::kReplaceTensorMap, addressOf(replaceTensorMap)},
      {host_abi::kCommitStores, addressOf(commitStores)},
      {host_abi::kWaitForStores, addressOf(waitForStores)},
      {host_abi::kMbarrierInit, addressOf(mbarrierInit)},
      {host_abi::kMbarrierInvalidate, addressOf(mbarrierInvalidate)},
      {host_abi::kMbarrierArrive, addressOf(mbarrierArrive)},
      {host_abi::kMbarrierExpect, addressOf(mbarrierExpect)},
      {host_abi::kMbarrierArriveCopies, addressOf(mbarrierArriveCopies)},
      {host_abi::kMbarrierWait, addressOf(mbarrierWait)},
      {host_abi::kMultiplyByWarpgroup, addressOf(multiplyByWarpgroup)},
      {host_abi::kCommitProducts, addressOf(commitProducts)},
      {host_abi::kWaitForProducts, addressOf(waitForProducts)},
      {host_abi::kProxyFence, addressOf(proxyFence)},
      {host_abi::kFault, addressOf(fault)},
      {host_abi::kPrint, addressOf(print)},
      {host_abi::kTimed, addressOf(timed)},
      {host_abi::kClock, addressOf(clock)},
  };
  return table;
}

} // namespace hocket::emulator
