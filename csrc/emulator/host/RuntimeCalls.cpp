//===- RuntimeCalls.cpp - Functions that emulated code calls ---------------------------------===//
#include "emulator/host/RuntimeCalls.h"

#include "emulator/block/BlockRunner.h"
#include "emulator/timing/KeepTime.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace hocket::emulator {

using host_abi::LaneContext;

static Lane &laneOf(LaneContext *context) { return static_cast<Lane &>(*context); }
static BlockRunner &blockOf(LaneContext *context) { return *laneOf(context).runner; }

namespace {

using namespace host_abi; // HostAbi.def uses its types without their namespace

/// Maps SiteNumber to uint32_t, because the emulator uses plain indices for sites.
template <typename T>
using Plain = std::conditional_t<std::is_same_v<T, SiteNumber>, uint32_t, T>;

/// The function type of an entry of HostAbi.def. The first parameter is the calling lane.
template <typename Signature>
struct WithLane;
template <typename Result, typename... Parameters>
struct WithLane<Result(Parameters...)> {
  using Function = Result(LaneContext *, Plain<Parameters>...);
};

/// The functions that HostAbi.def lists.
struct RuntimeCalls {
#define HOST_CALL(name, ...) static WithLane<__VA_ARGS__>::Function name;
#include "emulator_abi/HostAbi.def"
};

} // namespace

void *RuntimeCalls::global(LaneContext *context, void *address, uint32_t site, bool predicate) {
  return blockOf(context).global.check(laneOf(context), address, site, predicate);
}

void *RuntimeCalls::globalShadow(LaneContext *context, void *address, bool isWritten) {
  return blockOf(context).global.shadowOf(address, isWritten);
}

void RuntimeCalls::ordered(LaneContext *context, void *address, uint32_t site, bool predicate, bool stored) {
  blockOf(context).global.endOrderedAtomic(laneOf(context), address, site, predicate, stored);
}

void RuntimeCalls::blockFence(LaneContext *context, FenceEffects effects) { blockOf(context).global.fence(effects); }

uint64_t RuntimeCalls::crossLane(LaneContext *context, CrossLaneOp op, uint64_t value, uint64_t a, uint64_t b,
                                 uint64_t members, uint32_t site) {
  return blockOf(context).rendezvous.exchange(laneOf(context), op, value, a, b, members, site);
}

void RuntimeCalls::barrier(LaneContext *context, uint32_t id, uint32_t threads, uint32_t site, FenceEffects before,
                           FenceEffects after) {
  blockOf(context).barriers.wait(laneOf(context), id, threads, site, {}, {before, after});
}

void RuntimeCalls::barrierArrive(LaneContext *context, uint32_t id, uint32_t threads, uint32_t site) {
  blockOf(context).barriers.arrive(laneOf(context), id, threads, site);
}

uint32_t RuntimeCalls::barrierReduce(LaneContext *context, uint32_t id, uint32_t threads, BarrierReduction reduction,
                                     uint32_t predicate, uint32_t site) {
  return blockOf(context).barriers.wait(laneOf(context), id, threads, site, {reduction, predicate != 0}, {});
}

void RuntimeCalls::clusterArrive(LaneContext *context, bool isRelaxed, uint32_t site) {
  blockOf(context).cluster.arrive(laneOf(context), isRelaxed, site);
}

void RuntimeCalls::clusterWait(LaneContext *context, uint32_t site) {
  blockOf(context).cluster.wait(laneOf(context), site);
}

void RuntimeCalls::priority(LaneContext *context, uint32_t priority) {
  blockOf(context).scheduler.setPriority(laneOf(context), priority);
}

/// All live values of the lane are on the stack above this frame, because emulated code assumes that this call
/// preserves no registers.
[[gnu::noinline]] void RuntimeCalls::tick(LaneContext *context) {
  auto *frame = static_cast<const std::byte *>(__builtin_frame_address(0));
  constexpr size_t kLinkBytes = 2 * sizeof(void *); // the caller's frame pointer, and the return address
  blockOf(context).tick(laneOf(context), frame + kLinkBytes);
}

void RuntimeCalls::fault(LaneContext *context, uint32_t site, uint64_t detail) {
  blockOf(context).faults.failAt(laneOf(context), site, detail);
}

void RuntimeCalls::shared(LaneContext *context, uint64_t offset, const std::byte *stored, uint32_t site,
                          bool violated) {
  if (violated)
    blockOf(context).faults.failAt(laneOf(context), site, offset);
  blockOf(context).shared.access(laneOf(context), offset, stored, site);
}

void RuntimeCalls::sharedRow(LaneContext *context, const SharedRow *row, const uint64_t *offsets,
                             const std::byte *stored, bool violated) {
  blockOf(context).shared.accessRow(laneOf(context), *row, offsets, stored, violated);
}

bool RuntimeCalls::storedRow(LaneContext *context, const SharedRow *row, const uint64_t *offsets, bool violated) {
  return blockOf(context).shared.tryStoreRow(laneOf(context), *row, offsets, violated);
}

void RuntimeCalls::fence(LaneContext *context, FenceEffects effects) {
  BlockRunner &block = blockOf(context);
  if (effects & kOfShared)
    block.shared.races().warpOrder().fence(laneOf(context), effects);
  if (effects & kOfGlobal)
    block.global.warpOrder().fence(laneOf(context), effects);
}

void RuntimeCalls::gather(LaneContext *context) { blockOf(context).lanes.gather(laneOf(context)); }

void RuntimeCalls::copyToShared(LaneContext *context, CopyCounter counter, void *source, bool inside, uint64_t place,
                                uint32_t readSite, uint32_t writeSite, bool apart, AfterCopy after) {
  const auto *checked = static_cast<const std::byte *>(inside ? global(context, source, readSite, true) : nullptr);
  auto destination = uint32_t(std::min<uint64_t>(place, std::numeric_limits<uint32_t>::max()));
  blockOf(context).copies.copy(laneOf(context), counter, {checked, destination, writeSite, apart}, after);
}

void RuntimeCalls::commitCopies(LaneContext *context, CopyCounter counter, uint32_t site) {
  blockOf(context).copies.commit(laneOf(context), counter, site);
}

void RuntimeCalls::waitForCopies(LaneContext *context, CopyCounter counter, uint32_t outstanding, uint32_t site,
                                 bool atBarrier) {
  if (atBarrier)
    blockOf(context).copies.waitAtBarrier(laneOf(context), counter, outstanding);
  else
    blockOf(context).copies.wait(laneOf(context), counter, outstanding, site);
}

void RuntimeCalls::storeTensor(LaneContext *context, const TensorMap *map, const int64_t *coordinates, uint64_t source,
                               TensorReduction reduction, uint32_t readSite, uint32_t writeSite) {
  TensorCopies &tensors = blockOf(context).tensors;
  TensorCopies::Box box = {.map = tensors.keep(map),
                           .offset = source,
                           .reduction = reduction,
                           .sharedSite = readSite,
                           .globalSite = writeSite};
  std::copy_n(coordinates, map->rank, box.origin.coordinates.begin());
  tensors.store(laneOf(context), box);
}

void RuntimeCalls::storeAsync(LaneContext *context, const std::byte *words, uint32_t bytes, uint64_t destination,
                              uint64_t barrier, uint32_t site) {
  blockOf(context).stores.store(laneOf(context), {words, bytes}, destination, barrier, site);
}

void RuntimeCalls::loadTensor(LaneContext *context, const TensorMap *map, const int64_t *coordinates,
                              uint64_t destination, uint64_t barrier, uint32_t blocks, uint32_t readSite,
                              uint32_t writeSite) {
  TensorCopies &tensors = blockOf(context).tensors;
  TensorCopies::Box box = {
      .map = tensors.keep(map), .offset = destination, .sharedSite = writeSite, .globalSite = readSite};
  std::copy_n(coordinates, map->rank, box.origin.coordinates.begin());
  if (map->isIm2col)
    std::copy_n(coordinates + map->rank, map->spatialRank(), box.origin.offsets.begin());
  Lane &lane = laneOf(context);
  for (uint32_t rank = 0; rank < (blocks ? 32 : 1); ++rank) {
    if (blocks && !(blocks >> rank & 1))
      continue;
    // The destination and the mbarrier have the same offsets in the shared memory of each receiving block.
    uint64_t distance = blocks ? lane.block->sharedStride * rank - lane.ownShared : 0;
    box.offset = destination + distance;
    tensors.load(lane, box, barrier + distance);
  }
}

void RuntimeCalls::replaceTensorMap(LaneContext *context, TensorMap *map, TensorMapField field, uint32_t dimension,
                                    uint64_t value, uint32_t site) {
  blockOf(context).tensors.replace(laneOf(context), *map, field, dimension, value, site);
}

void RuntimeCalls::commitStores(LaneContext *context) { blockOf(context).tensors.commitStores(laneOf(context)); }

void RuntimeCalls::waitForStores(LaneContext *context, uint32_t outstanding, bool readOnly) {
  blockOf(context).tensors.waitForStores(laneOf(context), outstanding, readOnly);
}

void RuntimeCalls::mbarrierInit(LaneContext *context, uint64_t offset, uint32_t count, uint32_t site) {
  blockOf(context).mbarriers.init(laneOf(context), offset, count, site);
}

void RuntimeCalls::mbarrierInvalidate(LaneContext *context, uint64_t offset, uint32_t site) {
  blockOf(context).mbarriers.invalidate(laneOf(context), offset, site);
}

void RuntimeCalls::mbarrierArrive(LaneContext *context, uint64_t offset, uint32_t count, uint32_t site) {
  blockOf(context).mbarriers.arrive(laneOf(context), offset, count, site);
}

void RuntimeCalls::mbarrierExpect(LaneContext *context, uint64_t offset, uint32_t bytes, uint32_t site) {
  blockOf(context).mbarriers.expectBytes(laneOf(context), offset, bytes, site);
}

void RuntimeCalls::mbarrierArriveCopies(LaneContext *context, uint64_t offset, bool increments, uint32_t site) {
  blockOf(context).mbarriers.arriveAfterCopies(laneOf(context), offset, increments, site);
}

void RuntimeCalls::mbarrierWait(LaneContext *context, uint64_t offset, uint32_t parity, uint32_t site) {
  blockOf(context).mbarriers.wait(laneOf(context), offset, parity, site);
}

void RuntimeCalls::multiplyByWarpgroup(LaneContext *context, const WarpgroupMma *wgmma, uint32_t *operands,
                                       uint32_t *shadows, uint64_t a, uint64_t b, bool useAcc, uint32_t site) {
  blockOf(context).wgmmas.multiply(laneOf(context), *wgmma, {operands, shadows, a, b, useAcc}, site);
}

void RuntimeCalls::commitWgmmas(LaneContext *context, uint32_t site) {
  blockOf(context).wgmmas.commit(laneOf(context), site);
}

void RuntimeCalls::waitForWgmmas(LaneContext *context, uint32_t *accumulators, uint32_t *shadows, uint32_t count,
                                 uint32_t outstanding, uint32_t site) {
  blockOf(context).wgmmas.wait(laneOf(context), {accumulators, shadows}, count, outstanding, site);
}

void RuntimeCalls::proxyFence(LaneContext *context, FenceEffects memories) {
  if (memories & kOfShared)
    blockOf(context).shared.races().fenceProxy(laneOf(context));
  if (memories & kOfGlobal)
    blockOf(context).global.fenceProxy(laneOf(context));
}

void RuntimeCalls::print(LaneContext *context, const uint64_t *values, uint32_t site) {
  blockOf(context).prints.print(laneOf(context), values, site);
}

void RuntimeCalls::timed(LaneContext *context, uint32_t event) {
  BlockRunner &block = blockOf(context);
  keepTime(block.timing, block.scheduler, laneOf(context), event);
}

uint64_t RuntimeCalls::clock(LaneContext *context) {
  return blockOf(context).timing.readClock(context->warp, context->lane);
}

template <typename Function>
static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

std::span<const NamedFunction> runtimeCalls() {
  static const NamedFunction table[] = {
#define HOST_CALL(name, ...) {"hocket_emulator_" #name, addressOf(&RuntimeCalls::name)},
#include "emulator_abi/HostAbi.def"
  };
  return table;
}

} // namespace hocket::emulator
