//===- TensorCopies.cpp - Blocks of tensors on their way between memories ----------------------===//
#include "emulator/block/TensorCopies.h"

#include <cstring>

namespace hocket::emulator {

/// What completes at random takes up to so many copies, commits and waits, or until it is waited for.
static constexpr uint32_t kMaxSteps = 12;

TensorCopies::TensorCopies(const EmulatedLaunch &launch, BlockFaults &faults, SharedMemory &shared,
                           GlobalMemory &global)
    : launch(launch), faults(faults), shared(shared), global(global) {}

void TensorCopies::begin(uint64_t block) {
  for (auto &[thread, stores] : storesOf)
    for (const Store &store : stores.inFlight)
      if (!store.isAwaited)
        shared.races().dropRead(store.box.offset, bytesOf(*store.box.map));
  storesOf.clear();
  random.seed(launch.options.seed * 0x9e3779b9 + block);
}

void TensorCopies::checkPlace(Lane &lane, const Box &box) {
  uint64_t bytes = bytesOf(*box.map), size = launch.program.sharedBytes;
  if (box.offset > size || bytes > size - box.offset)
    faults.fail(lane, FailureKind::OutOfBounds, box.sharedSite, box.offset);
  if (box.offset % kBoxAlignment != 0)
    faults.fail(lane, FailureKind::Misaligned, box.sharedSite, box.offset);
}

// Stores --------------------------------------------------------------------------------------------------------------

void TensorCopies::store(Lane &lane, const Box &box) {
  checkPlace(lane, box);
  forEachRow(*box.map, box.place,
             [&](const TensorRow &row) { global.checkRow(lane, row.address, row.bytes, box.globalSite); });
  shared.races().beginRead(lane, box.offset, bytesOf(*box.map), box.sharedSite);
  step();
  Stores &stores = storesOf[lane.thread];
  Store &started = stores.inFlight.emplace_back(Store{.box = box, .group = stores.openGroup});
  if (launch.options.completion == Completion::Random)
    started.stepsLeft = uint32_t(random() % (kMaxSteps + 1));
  bool isEarly = launch.options.completion == Completion::Now ||
                 (launch.options.completion == Completion::Random && started.stepsLeft == 0);
  if (isEarly)
    read(started);
}

void TensorCopies::commitStores(Lane &lane) {
  step();
  ++storesOf[lane.thread].openGroup;
}

void TensorCopies::waitForStores(Lane &lane, uint32_t outstanding, bool readOnly) {
  auto found = storesOf.find(lane.thread);
  if (found == storesOf.end())
    return;
  step();
  Stores &stores = found->second;
  for (Store &store : stores.inFlight) {
    if (store.group + outstanding >= stores.openGroup)
      break;
    read(store);
    if (!store.isAwaited)
      shared.races().endRead(lane, store.box.offset, bytesOf(*store.box.map), store.box.sharedSite);
    store.isAwaited = true;
    if (!readOnly)
      write(store);
  }
  while (!readOnly && !stores.inFlight.empty() && stores.inFlight.front().group + outstanding < stores.openGroup)
    stores.inFlight.pop_front();
}

void TensorCopies::leave(Lane &lane) {
  auto found = storesOf.find(lane.thread);
  if (found == storesOf.end())
    return;
  for (const Store &store : found->second.inFlight)
    if (!store.isAwaited)
      faults.fail(lane, FailureKind::UnfinishedCopy, store.box.sharedSite, store.box.offset);
}

void TensorCopies::end() {
  for (auto &[thread, stores] : storesOf)
    for (const Store &store : stores.inFlight)
      write(store);
  storesOf.clear();
}

void TensorCopies::step() {
  if (launch.options.completion != Completion::Random)
    return;
  for (auto &[thread, stores] : storesOf)
    for (Store &store : stores.inFlight)
      if (!store.wasRead && --store.stepsLeft == 0)
        read(store);
}

void TensorCopies::read(Store &store) {
  if (store.wasRead)
    return;
  store.wasRead = true;
  forEachPart(*store.box.map, store.box.place, store.box.offset, [&](const BoxPart &part) {
    if (!part.address)
      return;
    const std::byte *from = shared.bytes() + part.offset;
    store.bytes.insert(store.bytes.end(), from, from + part.bytes);
    if (const std::byte *undefined = shared.shadowAt(part.offset))
      store.shadow.insert(store.shadow.end(), undefined, undefined + part.bytes);
  });
}

void TensorCopies::write(const Store &store) {
  size_t done = 0;
  forEachPart(*store.box.map, store.box.place, store.box.offset, [&](const BoxPart &part) {
    if (!part.address)
      return;
    auto *to = reinterpret_cast<std::byte *>(part.address);
    std::memcpy(to, store.bytes.data() + done, part.bytes);
    if (std::byte *undefined = launch.shadowOf(to); undefined && !store.shadow.empty())
      std::memcpy(undefined, store.shadow.data() + done, part.bytes);
    done += part.bytes;
  });
}

} // namespace hocket::emulator
