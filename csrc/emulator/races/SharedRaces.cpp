//===- SharedRaces.cpp - Finds races in shared memory ------------------------------------------===//
#include "emulator/races/SharedRaces.h"

#include <algorithm>
#include <bit>

namespace hocket::emulator {

using host_abi::isShared;
using host_abi::SiteKind;

/// Returns the largest power of two, up to 16, that divides the offset and the width of each access of shared memory.
static unsigned granuleOf(const Program &program) {
  unsigned bits = 16;
  for (const Site &site : program.sites)
    if (isShared(site.kind))
      bits |= site.bytes | site.alignment;
  return 1u << std::countr_zero(bits);
}

/// True if accesses of shared memory by `program` can race. In a block of a single warp, a race requires an
/// asynchronous access for which the warp has not waited.
static bool arePossible(const Program &program) {
  auto accesses = [](const Site &site) { return isShared(site.kind); };
  auto copies = [](const Site &site) {
    return site.kind == SiteKind::SharedCopy || site.kind == SiteKind::TensorLoad ||
           site.kind == SiteKind::TensorStore || site.kind == SiteKind::RemoteStore ||
           site.kind == SiteKind::SharedOperand;
  };
  return std::ranges::any_of(program.sites, accesses) &&
         (program.numWarps > 1 || std::ranges::any_of(program.sites, copies));
}

SharedRaces::SharedRaces(const Program &program, bool isWanted, const std::byte *shared, BlockFaults &faults)
    : program(program), faults(faults), order(program, isWanted && arePossible(program)) {
  if (!order.isKept())
    return;
  for (const Site &site : program.sites)
    accesses.push_back(
        {site.kind == SiteKind::SharedRead || site.kind == SiteKind::TensorStore || site.kind == SiteKind::SharedOperand
             ? SharedAccess::Read
         : site.kind == SiteKind::SharedAtomic || site.kind == SiteKind::MbarrierUse ? SharedAccess::Atomic
                                                                                     : SharedAccess::Write,
         site.bytes});
  shadow.emplace(shared, program.sharedBytes, granuleOf(program));
  auto isAsync = [](const Site &site) {
    return site.kind == SiteKind::SharedOperand || site.kind == SiteKind::TensorStore ||
           site.kind == SiteKind::TensorLoad;
  };
  if (std::ranges::any_of(program.sites, isAsync))
    proxy.emplace(program.sharedBytes, program.numWarps);
}

void SharedRaces::begin() {
  if (order.begin())
    shadow->forgetAll();
  if (proxy)
    proxy->forgetAll();
}

bool SharedRaces::tryStoreRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets) {
  if (!order.isKept())
    return true;
  if (proxy)
    return false;
  const SharedShadow::Usual usual(*shadow, order.clocksOf(lane));
  const Access *const known = accesses.data();
  const PackedAccessor self = Accessor{lane.warp, lane.lane, 0};
  const uint32_t *sites = row.sites(), count = row.count;
  for (uint32_t i = 0; i < count; ++i)
    if (!usual.tryWrite(offsets[i], known[sites[i]].bytes, self.at(sites[i]))) [[unlikely]]
      return false;
  return true;
}

void SharedRaces::accessRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets,
                            const std::byte *stored) {
  if (!order.isKept())
    return;
  const SharedShadow::Usual usual(*shadow, order.clocksOf(lane));
  const Access *const known = accesses.data();
  const PackedAccessor self = Accessor{lane.warp, lane.lane, 0};
  const uint32_t *sites = row.sites(), count = row.count;
  if (known[sites[0]].kind != SharedAccess::Read) {
    for (uint32_t i = 0; i < count; ++i)
      access(lane, usual, offsets[i], stored ? stored + i * host_abi::kMaxStoreBytes : nullptr, sites[i]);
    return;
  }
  for (uint32_t i = 0; i < count; ++i)
    if (!usual.tryRead(offsets[i], known[sites[i]].bytes, self.at(sites[i]))) [[unlikely]]
      accessSlowly(lane, offsets[i], nullptr, sites[i]);
}

[[gnu::noinline]] void SharedRaces::accessSlowly(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site) {
  Accessor who = {lane.warp, lane.lane, site};
  auto [kind, bytes] = accesses[site];
  if (auto conflict = shadow->access(kind, {offset, bytes, stored}, order.clocksOf(lane), who))
    fail(lane, lane.thread, site, *conflict);
}

void SharedRaces::fail(Lane &lane, uint32_t thread, uint32_t site, const Conflict &conflict) {
  faults.fail(
      lane,
      {.kind = FailureKind::Race, .site = site, .thread = thread, .address = conflict.offset, .conflict = conflict});
}

void SharedRaces::beginCopy(Lane &lane, const AsyncCopy &copy) {
  if (!order.isKept())
    return;
  const ClockState &clocks = order.clocksOf(lane);
  const SharedShadow::Usual usual(*shadow, clocks);
  copy.forEachLane([&](unsigned copier, uint64_t offset) {
    Accessor who = {lane.warp, copier, copy.site};
    if (usual.tryBeginCopy(offset, copy.bytes, who)) [[likely]]
      return;
    if (auto conflict = shadow->beginCopy({offset, copy.bytes}, clocks, who))
      fail(lane, lane.warp * program.warpSize() + copier, copy.site, *conflict);
  });
}

void SharedRaces::beginCopy(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site) {
  if (!order.isKept())
    return;
  if (auto conflict = shadow->beginCopy({offset, bytes}, order.clocksOf(lane), {lane.warp, lane.lane, site}))
    fail(lane, lane.thread, site, *conflict);
}

void SharedRaces::endCopy(const Lane &lane, const AsyncCopy &copy) {
  if (!order.isKept())
    return;
  Epoch now = order.clocksOf(lane).epoch;
  copy.forEachLane([&](unsigned copier, uint64_t offset) {
    shadow->endCopy({offset, copy.bytes}, now, {lane.warp, copier, copy.site});
  });
}

void SharedRaces::endCopyAt(Epoch then, uint32_t warp, unsigned copier, uint64_t offset, uint64_t bytes,
                            uint32_t site) {
  if (order.isKept())
    shadow->endCopy({offset, bytes}, then, {warp, copier, site});
}

void SharedRaces::beginRead(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site) {
  if (!order.isKept())
    return;
  if (auto conflict = shadow->beginRead({offset, bytes}, order.clocksOf(lane), {lane.warp, lane.lane, site}))
    fail(lane, lane.thread, site, *conflict);
  checkProxy(lane, offset, bytes, site, /*reads=*/true);
}

void SharedRaces::beginBulkLoad(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site) {
  beginCopy(lane, offset, bytes, site);
  if (!proxy)
    return;
  checkProxy(lane, offset, bytes, site, /*reads=*/false);
  proxy->overwrite(offset, bytes);
}

void SharedRaces::checkProxy(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site, bool reads) {
  auto store = proxy ? proxy->findHidden(order.clocksOf(lane), offset, bytes, reads) : std::nullopt;
  if (!store)
    return;
  Conflict conflict = {.earlier = SharedAccess::Write, .isHidden = true, .warp = store->warp, .site = store->site};
  conflict.offset = std::max(offset, store->offset);
  fail(lane, lane.thread, site, conflict);
}

void SharedRaces::endRead(const Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site) {
  if (order.isKept())
    shadow->endRead({offset, bytes}, &order.clocksOf(lane), {lane.warp, lane.lane, site});
}

void SharedRaces::dropRead(uint64_t offset, uint64_t bytes) {
  if (order.isKept())
    shadow->endRead({offset, bytes}, nullptr, {});
}

void SharedRaces::dropCopy(uint64_t offset, uint64_t bytes) {
  if (order.isKept())
    shadow->endCopy({offset, bytes}, std::nullopt, {});
}

} // namespace hocket::emulator
