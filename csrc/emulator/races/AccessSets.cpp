//===- AccessSets.cpp - Sets of warps that have accessed a granule of memory ----------------------===//
#include "emulator/races/AccessSets.h"

#include <bit>

namespace hocket::emulator {

Epoch AccessSets::latestOf(size_t granule) const {
  return hasEntry(granule) ? *std::ranges::max_element(entryOf(granule).epochs.epochs) : epochs[granule];
}

void AccessSets::add(size_t granule, const Moment &moment, PackedAccessor who) {
  uint32_t bit = 1u << moment.warp;
  Epoch epoch = latestOf(granule);
  if (epoch <= moment.floor)
    return set(granule, moment.epoch, who, bit);
  if (!hasEntry(granule)) {
    // A lane that follows another lane of its warp adds nothing: accesses ordered after the other are ordered after it.
    if (warps[granule] == bit)
      return epoch > moment.epoch ? void() : set(granule, moment.epoch, who, bit);
    if (epoch == moment.epoch && lasts[granule].isAtSiteOf(who)) {
      warps[granule] |= bit;
      lasts[granule] = who;
      return;
    }
  }
  Entry &entry = hasEntry(granule) ? entryOf(granule) : spread(granule);
  if (entry.epochs[moment.warp] <= moment.epoch) {
    entry.epochs[moment.warp] = moment.epoch;
    entry.accessors[moment.warp] = who;
  }
}

AccessSets::Entry &AccessSets::spread(size_t granule) {
  if (unusedEntries.empty()) {
    unusedEntries.push_back(uint32_t(entries.size()));
    entries.emplace_back();
  }
  uint32_t number = unusedEntries.back();
  unusedEntries.pop_back();
  Entry &entry = entries[number];
  entry.epochs = VectorClock();
  Accessor last = lasts[granule].unpack();
  for (uint32_t left = warps[granule]; left; left &= left - 1) {
    auto warp = uint32_t(std::countr_zero(left));
    entry.epochs[warp] = epochs[granule];
    entry.accessors[warp] = Accessor{.warp = warp, .lane = last.lane, .site = last.site};
  }
  epochs[granule] = kInEntry;
  lasts[granule].bits = number;
  return entry;
}

std::optional<AccessSets::Member> AccessSets::findUnordered(size_t granule, const Moment &moment) const {
  Epoch epoch = epochs[granule];
  if (epoch <= moment.floor)
    return std::nullopt;
  if (hasEntry(granule)) {
    const Entry &entry = entryOf(granule);
    for (uint32_t warp = 0; warp < kMaxWarps; ++warp)
      if (!moment.isAfter(warp, entry.epochs[warp]))
        return Member{warp, std::nullopt, entry.accessors[warp].unpack().site};
    return std::nullopt;
  }
  Accessor last = lasts[granule].unpack();
  if (warps[granule] >> last.warp & 1 && !moment.isAfter(last.warp, epoch))
    return Member{last.warp, last.lane, last.site};
  for (uint32_t left = warps[granule]; left; left &= left - 1) {
    auto warp = uint32_t(std::countr_zero(left));
    if (!moment.isAfter(warp, epoch))
      return Member{warp, std::nullopt, last.site};
  }
  return std::nullopt;
}

void AccessSets::clear(size_t granule, const Moment &moment) {
  // Other lanes of the warp may be ahead: their accesses did not happen before.
  const Entry *entry = hasEntry(granule) ? &entryOf(granule) : nullptr;
  Epoch own = entry ? entry->epochs[moment.warp] : epochs[granule];
  PackedAccessor who = entry ? entry->accessors[moment.warp] : lasts[granule];
  if (own > moment.epoch)
    set(granule, own, who, 1u << moment.warp);
  else
    set(granule, 0, {}, 0);
}

void AccessSets::forgetAll() {
  std::ranges::fill(epochs, 0);
  entries.clear();
  unusedEntries.clear();
}

} // namespace hocket::emulator
