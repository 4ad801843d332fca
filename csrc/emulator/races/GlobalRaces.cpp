//===- GlobalRaces.cpp - Accesses of global memory by two blocks that nothing orders --------------===//
#include "emulator/races/GlobalRaces.h"

#include <tuple>

namespace hocket::emulator {

GlobalRaces::GlobalRaces(EmulatedLaunch &launch)
    : segments(launch.blockCount()), sets(segments), launch(launch), shadow(launch) {}

uint64_t GlobalRaces::positionOf(const BlockFault &race) const {
  return std::max(launch.sequence.positionOf(race.block), launch.sequence.positionOf(race.other->block));
}

void GlobalRaces::report(BlockFault race) {
  auto rank = [&](const BlockFault &fault) {
    return std::tuple(positionOf(fault), fault.site, fault.thread, fault.address, fault.other->block,
                      fault.other->thread);
  };
  if (positionOf(race) > launch.firstFailed())
    return;
  launch.fail(positionOf(race));
  std::lock_guard lock(mutex);
  if (!first || rank(race) < rank(*first))
    first = std::move(race);
}

void BlockAccesses::record(const ShadowRegion &region, const Access &access) {
  size_t last = region.granuleOf(access.address + access.bytes - 1);
  for (size_t granule = region.granuleOf(access.address); granule <= last; ++granule)
    if (access.kind == AccessKind::Write)
      recordWrite(region, granule, access);
    else
      recordShared(region, granule, access);
}

void BlockAccesses::recordWrite(const ShadowRegion &region, size_t granule, const Access &access) {
  ShadowRegion::Word &word = region.words(AccessKind::Write)[granule];
  uint64_t own = AccessWord(order.segmentToRecord(), access.site, access.thread).raw();
  // Mostly nobody has written it. To find that out by a plain load would cost a page fault more.
  uint64_t seen = 0;
  if (!word.compare_exchange_strong(seen, own)) {
    if (AccessWord(seen).segment() == order.segment())
      return;
    AccessWord before(word.exchange(own));
    if (!order.isBefore(before.segment()))
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

/// A read or an atomic access: blocks may make these side by side.
void BlockAccesses::recordShared(const ShadowRegion &region, size_t granule, const Access &access) {
  ShadowRegion::Word &word = region.words(access.kind)[granule];
  uint64_t before = word.load(std::memory_order_acquire);
  do
    if (holdsOwn(AccessWord(before)))
      return;
  while (!word.compare_exchange_weak(before, withOwn(AccessWord(before), access).raw()));
  look(region, AccessKind::Write, granule, access);
  look(region, access.kind == AccessKind::Read ? AccessKind::Atomic : AccessKind::Read, granule, access);
}

bool BlockAccesses::holdsOwn(AccessWord word) const {
  if (!word.isPresent())
    return false;
  if (!word.isSet())
    return word.segment() == order.segment();
  Segment own = races.segments[order.segment()];
  return races.sets[word.set()].members.epochOf(own.block) >= own.epoch;
}

AccessWord BlockAccesses::withOwn(AccessWord before, const Access &access) {
  uint32_t segment = order.segmentToRecord();
  // Whatever is ordered after this access is then also ordered after the one before.
  if (!before.isPresent() || (!before.isSet() && order.isEasilyBefore(before.segment())))
    return AccessWord(segment, access.site, access.thread);
  uint64_t known = before.withoutThread();
  if (lastAdded.before != known || lastAdded.segment != segment || lastAdded.site != access.site)
    lastAdded = {known, segment, access.site, races.sets.add(before, segment, access.site)};
  return AccessWord::ofSet(lastAdded.set, access.thread);
}

bool BlockAccesses::isBefore(AccessWord word) {
  if (!word.isSet())
    return order.isBefore(word.segment());
  if (lastCompared.set != word.set() || !lastCompared.known.isSameTree(order.known()))
    lastCompared = {word.set(), order.known(),
                    !races.sets[word.set()].members.firstBeyond(order.known(), order.block())};
  return lastCompared.answer;
}

void BlockAccesses::look(const ShadowRegion &region, AccessKind at, size_t granule, const Access &access) {
  ShadowRegion::Word *words = region.words(at);
  if (!words)
    return;
  AccessWord word(words[granule].load());
  if (word.isPresent() && !isBefore(word))
    report(region, granule, access, at, word);
}

void BlockAccesses::report(const ShadowRegion &region, size_t granule, const Access &access, AccessKind otherKind,
                           AccessWord word) {
  OtherAccess other = {.kind = otherKind, .block = 0, .site = word.site(), .thread = word.thread()};
  if (!word.isSet()) {
    other.block = races.segments[word.segment()].block;
  } else {
    const BlockSet &set = races.sets[word.set()];
    other.site = set.lastSite;
    other.block = races.segments[set.lastSegment].block;
    if (order.isBefore(set.lastSegment)) {
      other.block = *set.members.firstBeyond(order.known(), order.block());
      other.thread = std::nullopt;
      if (!set.oneSite)
        other.site = std::nullopt;
    }
  }
  BlockFault race = {.kind = FailureKind::Race,
                     .site = access.site,
                     .thread = access.thread,
                     .address = region.addressOf(granule),
                     .block = order.block(),
                     .bytes = uint32_t(region.granuleBytes()),
                     .other = other};
  // As if the blocks had run in their order, where it is known what the other one did.
  if (other.block > race.block && other.site && other.thread) {
    race.other = OtherAccess{access.kind, race.block, race.site, race.thread};
    race.block = other.block;
    race.site = *other.site;
    race.thread = *other.thread;
  }
  races.report(std::move(race));
}

} // namespace hocket::emulator
