//===- GlobalRaces.cpp - Finds races in global memory ---------------------------------------------===//
#include "emulator/races/GlobalRaces.h"

#include <tuple>

namespace hocket::emulator {

GlobalRaces::GlobalRaces(EmulatedLaunch &launch)
    : segments(launch.blockCount()), sets(segments, launch.program.numWarps, launch.program.warpSize()), launch(launch),
      shadow(launch) {
  auto has = [&](auto predicate) { return std::ranges::any_of(launch.program.sites, predicate); };
  bool hasBulk = has([](const Site &site) {
    return site.kind == host_abi::SiteKind::TensorLoad || site.kind == host_abi::SiteKind::TensorStore;
  });
  if (hasBulk && !shadow.isEmpty())
    proxy.emplace();
}

uint64_t GlobalRaces::positionOf(const BlockFault &race) const {
  return std::max(launch.sequence.positionOf(race.block), launch.sequence.positionOf(race.other->block));
}

void GlobalRaces::report(BlockFault race) {
  auto rank = [&](const BlockFault &fault) {
    // A race with a bulk store in flight, or for lack of a proxy fence, ranks before other races, because its message
    // explains more.
    bool isPlain = fault.other->order == OtherAccess::Order::None;
    return std::tuple(positionOf(fault), isPlain, fault.site, fault.thread, fault.address, fault.other->block,
                      fault.other->thread);
  };
  if (positionOf(race) > launch.firstFailed())
    return;
  launch.fail(positionOf(race));
  std::lock_guard lock(mutex);
  if (!first || rank(race) < rank(*first))
    first = std::move(race);
}

// Generic proxy and async proxy ---------------------------------------------------------------------------------------

void BlockAccesses::record(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site) {
  recordOrder(region, place, lane, site);
  if (!races.proxy) [[likely]]
    return;
  if (auto write = bulkWrites.find(place.address, place.bytes))
    reportInFlight(place, lane, site, *write);
  if (place.kind == AccessKind::Read)
    return;
  uint32_t segment = order.segmentAt(warps.epochOf(lane));
  forEachPiece(place.address, place.bytes, [&](PieceOfMemory piece) {
    if (races.proxy->store(piece, {.segment = segment,
                                   .site = site,
                                   .thread = lane.thread,
                                   .warp = lane.warp,
                                   .block = order.block(),
                                   .mask = piece.mask,
                                   .fence = {}}))
      unfenced[lane.warp].push_back(piece.number);
  });
}

void BlockAccesses::recordBulkLoad(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site) {
  recordOrder(region, place, lane, site);
  if (auto write = bulkWrites.find(place.address, place.bytes))
    return reportInFlight(place, lane, site, *write);
  reportHidden(place, lane, site);
}

void BlockAccesses::recordBulkStore(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site,
                                    uint64_t group) {
  bool isReduction = program.sites[site].kind == host_abi::SiteKind::Atomic;
  recordOrder(region, place, lane, site);
  if (auto write = bulkWrites.find(place.address, place.bytes); write && !(isReduction && write->isReduction))
    reportInFlight(place, lane, site, *write);
  else
    reportHidden(place, lane, site);
  bulkWrites.begin(place.address, place.bytes,
                   {.thread = lane.thread, .site = site, .group = group, .isReduction = isReduction});
}

void BlockAccesses::fenceProxy(const Lane &lane) {
  if (!races.proxy || unfenced[lane.warp].empty())
    return;
  uint32_t segment = order.segmentAt(warps.epochOf(lane));
  for (uintptr_t piece : unfenced[lane.warp])
    races.proxy->fence(piece, order.block(), lane.warp, segment);
  unfenced[lane.warp].clear();
}

bool BlockAccesses::isSegmentBefore(uint32_t segment, uint32_t warp, const Lane &lane) {
  Segment other = races.segments[segment];
  if (other.block != order.block())
    return order.isBefore(other);
  return !warps.isKept() || warps.clocksOf(lane).isAfter(warp, warps.firstEpoch() + Epoch(other.warpEpoch));
}

void BlockAccesses::reportHidden(const Place &place, const Lane &lane, uint32_t site) {
  forEachPiece(place.address, place.bytes, [&](PieceOfMemory piece) {
    auto hidden = races.proxy->find(piece, [&](const GlobalProxy::Store &store) {
      return isSegmentBefore(store.segment, store.warp, lane) &&
             !(store.fence && isSegmentBefore(*store.fence, store.warp, lane));
    });
    if (hidden)
      races.report({.kind = FailureKind::Race,
                    .site = site,
                    .thread = lane.thread,
                    .address = std::max(place.address, piece.address()),
                    .block = order.block(),
                    .bytes = 1,
                    .other = OtherAccess{.kind = AccessKind::Write,
                                         .block = hidden->block,
                                         .site = hidden->site,
                                         .warp = hidden->warp,
                                         .thread = hidden->thread,
                                         .order = OtherAccess::Order::OtherProxy}});
  });
}

void BlockAccesses::reportInFlight(const Place &place, const Lane &lane, uint32_t site,
                                   const BulkWrites::Write &write) {
  races.report({.kind = FailureKind::Race,
                .site = site,
                .thread = lane.thread,
                .address = place.address,
                .block = order.block(),
                .bytes = 1,
                .other = OtherAccess{.kind = AccessKind::Write,
                                     .block = order.block(),
                                     .site = write.site,
                                     .warp = write.thread / program.warpSize(),
                                     .thread = write.thread,
                                     .order = OtherAccess::Order::InFlight}});
}

// Order ---------------------------------------------------------------------------------------------------------------

void BlockAccesses::recordOrder(const ShadowRegion &region, const Place &place, const Lane &lane, uint32_t site) {
  Access access = {place.kind, site, lane.thread, lane.warp, order.segmentAt(warps.epochOf(lane)), &lane};
  size_t last = region.granuleOf(place.address + place.bytes - 1);
  for (size_t granule = region.granuleOf(place.address); granule <= last; ++granule)
    if (place.kind == AccessKind::Write)
      recordWrite(region, granule, access);
    else
      recordShared(region, granule, access);
}

void BlockAccesses::endAtomic(const Lane &lane, uintptr_t address, host_abi::AtomicOrder atomicOrder, bool stored,
                              bool ordersBlocks) {
  bool acquires = uint32_t(atomicOrder) & 1, releases = uint32_t(atomicOrder) & 2;
  bool isForeign = ordersBlocks && order.endAccess(address, acquires, releases, stored);
  warps.access(lane, {address, acquires, releases, stored, isForeign});
}

void BlockAccesses::recordWrite(const ShadowRegion &region, size_t granule, const Access &access) {
  ShadowRegion::Word &word = region.words(AccessKind::Write)[granule];
  uint64_t own = AccessWord(access.segment, access.site, access.thread).raw();
  // Most granules have not been written before. The compare-exchange is not preceded by a load, because a load would
  // cost a second page fault.
  uint64_t seen = 0;
  if (!word.compare_exchange_strong(seen, own)) {
    if (isOwn(AccessWord(seen), access))
      return;
    AccessWord before(word.exchange(own));
    if (!isBefore(before, access))
      report(region, granule, access, AccessKind::Write, before);
  }
  for (AccessKind kind : {AccessKind::Read, AccessKind::Atomic}) {
    ShadowRegion::Word *words = region.words(kind);
    if (!words)
      continue;
    uint64_t seen = words[granule].load();
    if (seen == 0)
      continue;
    look(region, kind, granule, access);
    words[granule].compare_exchange_strong(seen, 0);
  }
}

/// Records a read or an atomic access, which several warps may make concurrently without a race.
void BlockAccesses::recordShared(const ShadowRegion &region, size_t granule, const Access &access) {
  ShadowRegion::Word &word = region.words(access.kind)[granule];
  uint64_t before = word.load(std::memory_order_acquire);
  do
    if (holdsOwn(AccessWord(before), access))
      return;
  while (!word.compare_exchange_weak(before, withOwn(AccessWord(before), access).raw()));
  look(region, AccessKind::Write, granule, access);
  look(region, access.kind == AccessKind::Read ? AccessKind::Atomic : AccessKind::Read, granule, access);
}

bool BlockAccesses::holdsOwn(AccessWord word, const Access &access) const {
  if (!word.isPresent())
    return false;
  if (!word.isSet())
    return isOwn(word, access);
  Segment own = races.segments[access.segment];
  const BlockSet &set = races.sets[word.set()];
  return set.members.epochOf(own.block) >= own.epoch &&
         races.sets.epochOf(set, own.block, access.warp) >= std::optional(own.warpEpoch);
}

AccessWord BlockAccesses::withOwn(AccessWord before, const Access &access) {
  // Returns true if every access that is ordered after `access` is also ordered after the accesses in the word.
  auto isReplaceable = [&] {
    if (!before.isPresent())
      return true;
    if (before.isSet())
      return isOfThisBlock(races.sets[before.set()]) && isBefore(before, access);
    Segment other = races.segments[before.segment()];
    return other.block == order.block() ? isBefore(before, access) : order.isEasilyBefore(other);
  };
  if (isReplaceable())
    return AccessWord(access.segment, access.site, access.thread);
  uint64_t known = races.sets.keyOf(before);
  if (lastAdded.before != known || lastAdded.segment != access.segment || lastAdded.site != access.site ||
      lastAdded.warp != access.warp)
    lastAdded = {known, access.segment, access.site, access.warp,
                 races.sets.add(before, access.segment, access.site, access.warp)};
  return AccessWord::ofSet(lastAdded.set, access.thread);
}

bool BlockAccesses::isBefore(AccessWord word, const Access &access) {
  if (!word.isSet()) {
    Segment other = races.segments[word.segment()];
    if (other.block != order.block())
      return order.isBefore(other);
    return isBeforeInBlock(other, word.site(), word.thread() / program.warpSize(), access);
  }
  const BlockSet &set = races.sets[word.set()];
  bool isOurs = isOfThisBlock(set);
  if (lastBefore.set == word.set() && lastBefore.warp == access.warp && lastBefore.segment == access.segment &&
      (isOurs || lastBefore.known.isSameTree(order.known())))
    return true;
  if (findUnorderedWarp(set, access) || (!isOurs && set.members.firstBeyond(order.known(), order.block())))
    return false;
  lastBefore = {word.set(), isOurs ? BlockClock() : order.known(), access.warp, access.segment};
  return true;
}

bool BlockAccesses::isBeforeInBlock(const Segment &other, uint32_t otherSite, uint32_t otherWarp,
                                    const Access &access) const {
  using host_abi::SiteKind;
  if (isAfter(access, otherWarp, other.warpEpoch))
    return true;
  // Two atomic accesses of one block do not race. An atomic access of block scope counts as a write, so a conflict may
  // consist of two atomic accesses.
  return program.sites[access.site].kind == SiteKind::Atomic && otherSite < program.sites.size() &&
         program.sites[otherSite].kind == SiteKind::Atomic;
}

std::optional<uint32_t> BlockAccesses::findUnorderedWarp(const BlockSet &set, const Access &access) const {
  if (!warps.isKept() || set.members.epochOf(order.block()) == 0)
    return std::nullopt;
  for (uint32_t warp = 0; warp < program.numWarps; ++warp)
    if (auto epoch = races.sets.epochOf(set, order.block(), warp); epoch && !isAfter(access, warp, *epoch))
      return warp;
  return std::nullopt;
}

void BlockAccesses::look(const ShadowRegion &region, AccessKind at, size_t granule, const Access &access) {
  ShadowRegion::Word *words = region.words(at);
  if (!words)
    return;
  AccessWord word(words[granule].load());
  if (word.isPresent() && !isBefore(word, access))
    report(region, granule, access, at, word);
}

OtherAccess BlockAccesses::memberToReport(AccessWord word, AccessKind kind, const Access &access) {
  const BlockSet &set = races.sets[word.set()];
  Segment last = races.segments[set.lastSegment];
  uint32_t lastWarp = word.thread() / program.warpSize();
  std::optional<uint32_t> warp = findUnorderedWarp(set, access);
  bool isLast =
      last.block == order.block() ? warp && !isAfter(access, lastWarp, last.warpEpoch) : !order.isBefore(last);
  if (isLast)
    return {.kind = kind, .block = last.block, .site = set.lastSite, .warp = lastWarp, .thread = word.thread()};
  std::optional<uint32_t> site = set.oneSite ? std::optional(set.lastSite) : std::nullopt;
  if (warp)
    return {.kind = kind, .block = order.block(), .site = site, .warp = warp, .thread = {}};
  return {.kind = kind,
          .block = *set.members.firstBeyond(order.known(), order.block()),
          .site = site,
          .warp = {},
          .thread = {}};
}

void BlockAccesses::report(const ShadowRegion &region, size_t granule, const Access &access, AccessKind otherKind,
                           AccessWord word) {
  uint32_t warp = word.thread() / program.warpSize();
  OtherAccess other = word.isSet() ? memberToReport(word, otherKind, access)
                                   : OtherAccess{.kind = otherKind,
                                                 .block = races.segments[word.segment()].block,
                                                 .site = word.site(),
                                                 .warp = warp,
                                                 .thread = word.thread()};
  BlockFault race = {.kind = FailureKind::Race,
                     .site = access.site,
                     .thread = access.thread,
                     .address = region.addressOf(granule),
                     .block = order.block(),
                     .bytes = uint32_t(region.granuleBytes()),
                     .other = other};
  // If the other access is known completely, the race is reported at the access of the block with the higher number.
  if (other.block > race.block && other.site && other.thread) {
    race.other = OtherAccess{access.kind, race.block, race.site, access.warp, race.thread};
    race.block = other.block;
    race.site = *other.site;
    race.thread = *other.thread;
  }
  races.report(std::move(race));
}

} // namespace hocket::emulator
