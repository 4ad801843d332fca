//===- AccessSets.cpp - Which warps have accessed a place -----------------------------------------===//
#include "emulator/races/AccessSets.h"

#include <bit>

namespace hocket::emulator {

void AccessSets::add(size_t granule, const Moment &moment, PackedAccessor who) {
  Set &here = sets[granule];
  uint32_t bit = 1u << moment.warp;
  if (here.epoch <= moment.floor)
    return set(granule, moment.epoch, who, bit);
  if (!here.hasEntry()) {
    // A lane that comes after another of its warp adds nothing: what is ordered after the other is ordered after it.
    if (here.warps == bit)
      return here.epoch > moment.epoch ? void() : set(granule, moment.epoch, who, bit);
    if (here.epoch == moment.epoch && here.last.isAtSiteOf(who)) {
      here.warps |= bit;
      here.last = who;
      return;
    }
  }
  Entry &entry = here.hasEntry() ? entries[here.entry] : spread(here);
  if (entry.epochs[moment.warp] <= moment.epoch) {
    entry.epochs[moment.warp] = moment.epoch;
    entry.accessors[moment.warp] = who;
    here.epoch = std::max(here.epoch, moment.epoch);
  }
}

void AccessSets::set(size_t granule, Epoch epoch, PackedAccessor who, uint32_t warps) {
  Set &here = sets[granule];
  if (here.hasEntry())
    unusedEntries.push_back(here.entry);
  here = Set(epoch, who, warps);
}

AccessSets::Entry &AccessSets::spread(Set &set) {
  if (unusedEntries.empty()) {
    unusedEntries.push_back(uint32_t(entries.size()));
    entries.emplace_back();
  }
  set.entry = unusedEntries.back();
  unusedEntries.pop_back();
  Entry &entry = entries[set.entry];
  entry.epochs = VectorClock();
  Accessor last = set.last.unpack();
  for (uint32_t left = set.warps; left; left &= left - 1) {
    auto warp = uint32_t(std::countr_zero(left));
    entry.epochs[warp] = set.epoch;
    entry.accessors[warp] = Accessor{.warp = warp, .lane = last.lane, .site = last.site};
  }
  set.warps = 0;
  return entry;
}

std::optional<AccessSets::Member> AccessSets::findUnordered(size_t granule, const Moment &moment) const {
  const Set &set = sets[granule];
  if (set.epoch <= moment.floor)
    return std::nullopt;
  if (set.hasEntry()) {
    const Entry &entry = entries[set.entry];
    for (uint32_t warp = 0; warp < kMaxWarps; ++warp)
      if (!moment.isAfter(warp, entry.epochs[warp]))
        return Member{warp, std::nullopt, entry.accessors[warp].unpack().site};
    return std::nullopt;
  }
  Accessor last = set.last.unpack();
  if (set.warps >> last.warp & 1 && !moment.isAfter(last.warp, set.epoch))
    return Member{last.warp, last.lane, last.site};
  for (uint32_t left = set.warps; left; left &= left - 1) {
    auto warp = uint32_t(std::countr_zero(left));
    if (!moment.isAfter(warp, set.epoch))
      return Member{warp, std::nullopt, last.site};
  }
  return std::nullopt;
}

void AccessSets::clear(size_t granule, const Moment &moment) {
  const Set &here = sets[granule];
  // Other lanes of the warp may be ahead: what they did was not before.
  Epoch own = here.hasEntry() ? entries[here.entry].epochs[moment.warp] : here.epoch;
  PackedAccessor who = here.hasEntry() ? entries[here.entry].accessors[moment.warp] : here.last;
  if (own > moment.epoch)
    set(granule, own, who, 1u << moment.warp);
  else
    set(granule, 0, {}, 0);
}

void AccessSets::forgetAll() {
  std::ranges::fill(sets, Set());
  entries.clear();
  unusedEntries.clear();
}

} // namespace hocket::emulator
