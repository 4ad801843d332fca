//===- GlobalMemory.cpp - Checks accesses of global memory -------------------------------------===//
#include "emulator/block/GlobalMemory.h"

namespace hocket::emulator {

using host_abi::SiteKind;

static bool isRead(SiteKind kind) { return kind == SiteKind::Read; }
static bool isWrite(SiteKind kind) { return kind == SiteKind::Write || kind == SiteKind::Atomic; }

static bool overlap(const ArrayRange &a, const ArrayRange &b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

/// Returns a flag for each array: true if a site of the kernel may read the array's memory or, with `byWrites`, write
/// to this memory.
static std::vector<bool> arraysInUse(const EmulatedLaunch &launch, bool byWrites) {
  std::vector<bool> used(launch.arrays.size());
  for (const Site &site : launch.program.sites) {
    bool concerned = byWrites ? isWrite(site.kind) : isRead(site.kind);
    for (size_t i = 0; concerned && i < used.size(); ++i)
      if (site.argument < 0 || overlap(launch.arrays[size_t(site.argument)], launch.arrays[i]))
        used[i] = true;
  }
  return used;
}

GlobalMemory::GlobalMemory(EmulatedLaunch &launch, LaneRunner &lanes, BlockFaults &faults, SpinWatch &spins)
    : launch(launch), program(launch.program), lanes(lanes), faults(faults), spins(spins),
      accesses(launch.races ? std::optional<BlockAccesses>(std::in_place, *launch.races, launch.program)
                            : std::nullopt),
      unwatched(launch.program, false), atomics(launch, lanes, accesses ? &*accesses : nullptr) {
  masked.fill(std::byte(0xff));
  allowAccesses();
}

void GlobalMemory::begin(uint64_t block) {
  if (accesses)
    accesses->begin(block);
  atomics.begin(block);
}

void GlobalMemory::allowAccesses() {
  std::vector<bool> read = arraysInUse(launch, false), written = arraysInUse(launch, true);
  auto isReadAndWritten = [&](size_t array) { return read[array] && written[array]; };
  bool anyReadAndWritten = false;
  for (size_t i = 0; i < read.size(); ++i)
    anyReadAndWritten |= isReadAndWritten(i);

  for (const Site &site : program.sites) {
    // The initial range of allowed addresses contains no array. If the range is not replaced below, the first access
    // takes the slow path (findArray).
    Allowed &here = allowed.emplace_back();
    here = {reinterpret_cast<uintptr_t>(discarded.data()), 0, site.alignment ? site.alignment - 1 : 0,
            anyReadAndWritten};
    here.accessKind = accessKindOf(site);
    here.bytes = site.bytes;
    here.copies = site.unusedCopies;
    here.releases = uint32_t(site.order) & uint32_t(host_abi::AtomicOrder::Release);
    here.isStore = site.isStore;
    here.ordersBlocks = launch.races && site.kind == SiteKind::Atomic && site.ordersBlocks();
    if (site.argument < 0)
      continue;
    const ArrayRange &array = launch.arrays[size_t(site.argument)];
    here.inStep = isReadAndWritten(size_t(site.argument));
    here.shadow = launch.races ? launch.races->regionOf(size_t(site.argument)) : nullptr;
    if (array.bytes >= site.bytes && (array.writable || !isWrite(site.kind))) {
      if (array.gaps)
        continue; // in an array with gaps, findArray checks each access
      here.begin = array.begin;
      here.span = array.bytes - site.bytes;
    }
  }
}

void *GlobalMemory::check(Lane &lane, void *address, uint32_t site, bool predicate) {
  const Allowed &here = allowed[site];
  if (here.inStep)
    lanes.gather(lane);
  if (!predicate) [[unlikely]]
    return program.sites[site].kind == SiteKind::Read ? masked.data() : discarded.data();
  auto place = reinterpret_cast<uintptr_t>(address);
  if (place - here.begin > here.span || (place & here.misaligned)) [[unlikely]]
    findArray(lane, place, site);
  if (spins.isOn()) [[unlikely]]
    spins.access(lane, site, address);
  // accessInSchedule may let other blocks run first, so the access is recorded only afterwards.
  void *memory = atomics.isActive() ? accessInSchedule(lane, address, site) : address;
  if (here.shadow && !(lane.thread & here.copies))
    accesses->record(*here.shadow, {here.accessKind, place, here.bytes}, lane, site);
  if (here.ordersBlocks && memory == address)
    accesses->beginOrdered(place);
  return memory;
}

void *GlobalMemory::accessInSchedule(Lane &lane, void *address, uint32_t site) {
  const Allowed &here = allowed[site];
  auto place = reinterpret_cast<uintptr_t>(address);
  bool isAtomic = program.sites[site].kind == SiteKind::Atomic;
  if (isAtomic)
    atomics.comeTo(lane, site, here.releases);
  atomics.performAt(place, here.bytes);
  void *kept = here.isStore ? atomics.tryKeep({place, here.bytes, here.ordersBlocks, here.releases}) : nullptr;
  return kept ? kept : address;
}

void GlobalMemory::fence(uint32_t effects) {
  atomics.performAll();
  if (accesses)
    accesses->fence(effects & host_abi::kAcquires, effects & host_abi::kReleases);
}

void GlobalMemory::endOrderedAtomic(Lane &lane, void *address, uint32_t number, bool predicate, bool stored) {
  if (!predicate || !accesses)
    return;
  void *kept = allowed[number].isStore && atomics.isActive() ? atomics.addressOf(address) : nullptr;
  accesses->endAtomic(lane, reinterpret_cast<uintptr_t>(kept ? kept : address), program.sites[number].order, stored,
                      allowed[number].ordersBlocks && !kept);
}

const ArrayRange &GlobalMemory::arrayAt(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t number) {
  const Site &site = program.sites[number];
  const ArrayRange *found = nullptr;
  if (site.argument >= 0) {
    const ArrayRange &array = launch.arrays[size_t(site.argument)];
    found = array.contains(address, bytes) ? &array : nullptr;
  } else {
    // Arrays may overlap. If several arrays contain the bytes, a writable array is preferred.
    for (const ArrayRange &array : launch.arrays)
      if (array.contains(address, bytes) && (!found || !found->writable))
        found = &array;
  }
  if (!found)
    faults.fail(lane, FailureKind::OutOfBounds, number, address);
  if (isWrite(site.kind) && !found->writable)
    faults.fail(lane, FailureKind::ReadOnly, number, address);
  return *found;
}

const ShadowRegion *GlobalMemory::regionOfRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t number) {
  atomics.performAt(address, bytes);
  const ArrayRange &array = arrayAt(lane, address, bytes, number);
  return launch.races ? launch.races->regionOf(size_t(&array - launch.arrays.data())) : nullptr;
}

void GlobalMemory::loadRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t number) {
  if (const ShadowRegion *region = regionOfRow(lane, address, bytes, number))
    accesses->recordBulkLoad(*region, {allowed[number].accessKind, address, uint32_t(bytes)}, lane, number);
}

void GlobalMemory::storeRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t number, uint64_t group) {
  if (const ShadowRegion *region = regionOfRow(lane, address, bytes, number))
    accesses->recordBulkStore(*region, {allowed[number].accessKind, address, uint32_t(bytes)}, lane, number, group);
}

void GlobalMemory::endStoreOfRow(Lane &lane, uintptr_t address, uint64_t bytes, uint32_t number) {
  if (const ShadowRegion *region = regionOfRow(lane, address, bytes, number))
    accesses->endBulkStore(*region, {allowed[number].accessKind, address, uint32_t(bytes)}, lane, number);
}

void GlobalMemory::findArray(Lane &lane, uintptr_t address, uint32_t number) {
  const Site &site = program.sites[number];
  const ArrayRange *found = &arrayAt(lane, address, site.bytes, number);
  if (address & allowed[number].misaligned)
    faults.fail(lane, FailureKind::Misaligned, number, address);
  if (launch.races)
    allowed[number].shadow = launch.races->regionOf(size_t(found - launch.arrays.data()));
  if (found->gaps)
    return;
  allowed[number].begin = found->begin;
  allowed[number].span = found->bytes - site.bytes;
}

} // namespace hocket::emulator
