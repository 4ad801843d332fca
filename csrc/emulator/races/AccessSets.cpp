//===- AccessSets.cpp - Sets of warps that have accessed a granule of memory ----------------------===//
#include "emulator/races/AccessSets.h"

#include <bit>

namespace hocket::emulator {

Epoch AccessSets::latestOf(size_t granule) const {
  return hasEntry(granule) ? *std::ranges::max_element(entryOf(granule).epochs.epochs) : epochs[granule];
}

void AccessSets::add(size_t granule, const ClockState &clocks, PackedAccessor who) {
  uint32_t bit = 1u << clocks.warp;
  Epoch epoch = latestOf(granule);
  if (epoch <= clocks.floor)
    return set(granule, clocks.epoch, who, bit);
  if (!hasEntry(granule)) {
    // If this warp is the only member of the set, the set keeps only the later of the two epochs. An access that is
    // ordered after the later epoch is also ordered after the earlier epoch.
    if (warps[granule] == bit)
      return epoch > clocks.epoch ? void() : set(granule, clocks.epoch, who, bit);
    if (epoch == clocks.epoch && lasts[granule].isAtSiteOf(who)) {
      warps[granule] |= bit;
      lasts[granule] = who;
      return;
    }
  }
  Entry &entry = hasEntry(granule) ? entryOf(granule) : spread(granule);
  if (entry.epochs[clocks.warp] <= clocks.epoch) {
    entry.epochs[clocks.warp] = clocks.epoch;
    entry.accessors[clocks.warp] = who;
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

std::optional<AccessSets::Member> AccessSets::findUnordered(size_t granule, const ClockState &clocks) const {
  Epoch epoch = epochs[granule];
  if (epoch <= clocks.floor)
    return std::nullopt;
  if (hasEntry(granule)) {
    const Entry &entry = entryOf(granule);
    for (uint32_t warp = 0; warp < kMaxWarps; ++warp)
      if (!clocks.isAfter(warp, entry.epochs[warp]))
        return Member{warp, std::nullopt, entry.accessors[warp].unpack().site};
    return std::nullopt;
  }
  Accessor last = lasts[granule].unpack();
  if (warps[granule] >> last.warp & 1 && !clocks.isAfter(last.warp, epoch))
    return Member{last.warp, last.lane, last.site};
  for (uint32_t left = warps[granule]; left; left &= left - 1) {
    auto warp = uint32_t(std::countr_zero(left));
    if (!clocks.isAfter(warp, epoch))
      return Member{warp, std::nullopt, last.site};
  }
  return std::nullopt;
}

void AccessSets::clear(size_t granule, const ClockState &clocks) {
  // The emulator may already have run other lanes of the warp past the clearing access. The set therefore keeps the
  // warp's last access if its epoch is later than the epoch of the clearing access.
  const Entry *entry = hasEntry(granule) ? &entryOf(granule) : nullptr;
  Epoch own = entry ? entry->epochs[clocks.warp] : epochs[granule];
  PackedAccessor who = entry ? entry->accessors[clocks.warp] : lasts[granule];
  if (own > clocks.epoch)
    set(granule, own, who, 1u << clocks.warp);
  else
    set(granule, 0, {}, 0);
}

void AccessSets::forgetAll() {
  std::ranges::fill(epochs, 0);
  entries.clear();
  unusedEntries.clear();
}

} // namespace hocket::emulator
