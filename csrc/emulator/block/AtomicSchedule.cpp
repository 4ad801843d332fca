//===- AtomicSchedule.cpp - Reorders blocks and stores at atomic accesses of global memory ---------===//
#include "emulator/block/AtomicSchedule.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace hocket::emulator {

static constexpr unsigned kMostWays = 64;
static constexpr size_t kMostKept = 256;
/// A block yields at an atomic access with the probability 1 / kGivesWayOneIn. With an adversarial seed, the
/// probability is lower, so that a block runs far ahead of the other blocks.
static constexpr uint32_t kGivesWayOneIn = 2, kGivesWayOneInAdversarial = 8;
static constexpr uint32_t kKeepsOneIn = 2, kPerformsOneIn = 2;

AtomicSchedule::AtomicSchedule(const EmulatedLaunch &launch, LaneRunner &lanes, BlockAccesses *accesses)
    : launch(launch), lanes(lanes), accesses(accesses) {
  bool keepsTime = launch.options.keepsTime || launch.options.recordedBlocks > 0;
  auto isAtomic = [](const Site &site) { return site.kind == host_abi::SiteKind::Atomic; };
  active =
      launch.options.seed != 0 && !keepsTime && launch.blockCount() > 1 && llvm::any_of(launch.program.sites, isAtomic);
}

void AtomicSchedule::begin(uint64_t block) {
  givenWay = false;
  waysLeft = kMostWays;
  lastWarp = lastSite = ~0u;
  kept.clear();
  if (active)
    random.seed(launch.options.seed * 0x9e3779b97f4a7c15 + block);
}

void AtomicSchedule::comeTo(Lane &lane, uint32_t site, bool releases) {
  // The block yields at most once for all lanes of a warp at the same access, and at most once for all iterations of a
  // loop that spins on one atomic access.
  bool isNew = lane.warp != lastWarp || site != lastSite;
  lastWarp = lane.warp;
  lastSite = site;
  uint32_t oneIn = isAdversarial(launch.options.seed) ? kGivesWayOneInAdversarial : kGivesWayOneIn;
  if (isNew && waysLeft > 0 && random() % oneIn == 0) {
    --waysLeft;
    givenWay = true;
    lanes.endTimeSlice(lane);
  }
  if (releases)
    return performAll();
  for (auto next = kept.begin(); next != kept.end();) {
    auto store = next++;
    auto isEarlierOfIt = [&](const Kept &other) { return other.store.address == store->store.address; };
    bool isFirstOfAddress = std::find_if(kept.begin(), store, isEarlierOfIt) == store;
    if (isFirstOfAddress && random() % kPerformsOneIn == 0)
      perform(store);
  }
}

bool AtomicSchedule::delaysEnd() {
  if (kept.empty() || waysLeft == 0 || random() % kGivesWayOneIn != 0)
    return false;
  --waysLeft;
  return true;
}

void *AtomicSchedule::tryKeep(const Store &store) {
  if (store.bytes > sizeof(Kept::value) || kept.size() == kMostKept || random() % kKeepsOneIn != 0 ||
      launch.shadowOf(reinterpret_cast<void *>(store.address)))
    return nullptr;
  uint32_t released = accesses && store.ordersBlocks ? accesses->epochOfStore(store.releases) : 0;
  return kept.emplace_back(Kept{{}, store, released}).value;
}

void *AtomicSchedule::addressOf(const void *memory) const {
  auto found = llvm::find_if(kept, [&](const Kept &one) { return one.value == memory; });
  return found == kept.end() ? nullptr : reinterpret_cast<void *>(found->store.address);
}

void AtomicSchedule::performAt(uintptr_t address, uint64_t bytes) {
  for (auto next = kept.begin(); next != kept.end();)
    if (auto store = next++;
        store->store.address < address + bytes && address < store->store.address + store->store.bytes)
      perform(store);
}

void AtomicSchedule::performAll() {
  while (!kept.empty())
    perform(kept.begin());
}

void AtomicSchedule::perform(std::list<Kept>::iterator which) {
  const Store &store = which->store;
  bool isRecorded = accesses && store.ordersBlocks;
  if (isRecorded)
    accesses->beginOrdered(store.address);
  // The store must be atomic, because other host threads run other blocks concurrently.
  auto storeAs = [&]<typename Word>(Word word) {
    std::memcpy(&word, which->value, sizeof(word));
    std::atomic_ref(*reinterpret_cast<Word *>(store.address)).store(word);
  };
  switch (store.bytes) {
  case 8:
    storeAs(uint64_t());
    break;
  case 4:
    storeAs(uint32_t());
    break;
  default:
    storeAs(uint16_t());
  }
  if (isRecorded)
    accesses->endStore(store.address, store.releases, which->released);
  kept.erase(which);
}

} // namespace hocket::emulator
