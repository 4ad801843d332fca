//===- AsyncStores.cpp - Asynchronous stores to the shared memory of a block of the cluster --------===//
#include "emulator/block/AsyncStores.h"

#include <algorithm>
#include <cstring>

namespace hocket::emulator {

AsyncStores::AsyncStores(const EmulatedLaunch &launch, BlockFaults &faults, SharedMemory &shared, Mbarriers &mbarriers,
                         BlockTiming &timing)
    : launch(launch), faults(faults), shared(shared), mbarriers(mbarriers), timing(timing) {
  mbarriers.addSource({.next = [this](uint64_t barrier) -> std::optional<Clocks> {
                         auto store = firstTo(barrier);
                         return store == stores.end() ? std::nullopt : std::optional(store->at);
                       },
                       .bring = [this](uint64_t barrier) { arrive(firstTo(barrier)); }});
}

void AsyncStores::begin(uint64_t block) {
  for (const Store &store : stores)
    shared.races().dropCopy(store.destination, store.bytes);
  stores.clear();
  random.seed(launch.options.seed * 0x9e3779b9 + block + 2);
}

std::vector<AsyncStores::Store>::iterator AsyncStores::firstTo(uint64_t barrier) {
  return std::ranges::find(stores, barrier, &Store::barrier);
}

void AsyncStores::store(Lane &lane, std::span<const std::byte> words, uint64_t destination, uint64_t barrier,
                        uint32_t site) {
  const uint64_t bytes = words.size(), size = launch.program.sharedBytes;
  if (destination > size || bytes > size - destination)
    faults.fail(lane, FailureKind::OutOfBounds, site, destination);
  if (destination % bytes != 0)
    faults.fail(lane, FailureKind::Misaligned, site, destination);
  SharedRaces &races = shared.races();
  shared.remote().access(lane, destination, site);
  mbarriers.checkIsReady(lane, barrier, site);
  races.beginCopy(lane, destination, bytes, site);
  // Until the store arrives, a read of its destination returns all-ones bytes: NaN in every float format.
  std::memset(shared.bytes() + destination, 0xff, bytes);
  shared.define(destination, uint32_t(bytes), nullptr);
  Store started = {.bytes = uint32_t(bytes),
                   .site = site,
                   .thread = lane.thread,
                   .destination = destination,
                   .barrier = barrier,
                   .at = timing.now(lane.warp)};
  std::ranges::copy(words, started.words.begin());
  if (WarpOrder &order = races.warpOrder(); order.isKept())
    started.epoch = order.clocksOf(lane).epoch;
  started.released = mbarriers.releasedBy(lane); // the release begins a new epoch of the warp
  stores.push_back(std::move(started));
  if (launch.options.completion == Completion::Now)
    arrive(stores.end() - 1);
  else if (launch.options.completion == Completion::Random && random() % 2)
    arrive(stores.begin() + std::ptrdiff_t(random() % stores.size()));
}

void AsyncStores::arrive(std::vector<Store>::iterator position) {
  const Store store = std::move(*position);
  stores.erase(position);
  std::memcpy(shared.bytes() + store.destination, store.words.data(), store.bytes);
  const uint32_t warpSize = launch.program.warpSize();
  const uint32_t warp = store.thread / warpSize;
  shared.races().endCopyAt(store.epoch, warp, store.thread % warpSize, store.destination, store.bytes, store.site);
  shared.races().arrive(warp, store.destination, store.bytes, store.site);
  mbarriers.completeBytes(store.barrier, {store.bytes, store.site, store.thread, store.at}, store.released);
}

void AsyncStores::end() {
  if (!stores.empty())
    faults.report({.kind = FailureKind::UnfinishedCopy,
                   .site = stores.front().site,
                   .thread = stores.front().thread,
                   .address = stores.front().destination});
}

} // namespace hocket::emulator
