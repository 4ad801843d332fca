//===- AccessSets.cpp - Which warps have accessed a place -----------------------------------------===//
#include "emulator/AccessSets.h"

#include <bit>

namespace hocket::emulator {

void AccessSets::addSlowly(size_t granule, const Moment &moment, PackedAccessor who) {
  uint32_t bit = 1u << moment.warp;
  Epoch &epoch = epochs[granule];
  if (epoch <= moment.floor)
    return replace(granule, moment.epoch, who, bit);
  if (!hasEntry(granule)) {
    // A lane behind another of its warp adds nothing: who is ordered after the other is ordered after it.
    if (warps[granule] == bit)
      return epoch > moment.epoch ? void() : replace(granule, moment.epoch, who, bit);
    if (epoch == moment.epoch && accessors[granule].site() == who.site()) {
      warps[granule] |= bit;
      accessors[granule] = who;
      return;
    }
  }
  Entry &entry = hasEntry(granule) ? entryAt(granule) : spread(granule);
  if (entry.epochs[moment.warp] <= moment.epoch) {
    entry.epochs[moment.warp] = moment.epoch;
    entry.accessors[moment.warp] = who;
    epoch = std::max(epoch, moment.epoch);
  }
}

void AccessSets::replace(size_t granule, Epoch epoch, PackedAccessor who, uint32_t mask) {
  if (hasEntry(granule))
    unusedEntries.push_back(entryOf[granule]);
  epochs[granule] = epoch;
  accessors[granule] = who;
  warps[granule] = mask;
}

AccessSets::Entry &AccessSets::spread(size_t granule) {
  if (entryOf.empty())
    entryOf.resize(epochs.size());
  if (unusedEntries.empty()) {
    unusedEntries.push_back(uint32_t(entries.size()));
    entries.emplace_back();
  }
  entryOf[granule] = unusedEntries.back();
  unusedEntries.pop_back();
  Entry &entry = entryAt(granule);
  entry.epochs = VectorClock();
  PackedAccessor last = accessors[granule];
  for (uint32_t left = warps[granule]; left; left &= left - 1) {
    auto warp = uint32_t(std::countr_zero(left));
    entry.epochs[warp] = epochs[granule];
    entry.accessors[warp] = Accessor{.warp = warp, .lane = last.lane(), .site = last.site()};
  }
  warps[granule] = 0;
  return entry;
}

std::optional<AccessSets::Member> AccessSets::findUnorderedSlowly(size_t granule, const Moment &moment) const {
  if (hasEntry(granule)) {
    const Entry &entry = entryAt(granule);
    for (uint32_t warp = 0; warp < kMaxWarps; ++warp)
      if (!moment.isAfter(warp, entry.epochs[warp]))
        return Member{warp, std::nullopt, entry.accessors[warp].site()};
    return std::nullopt;
  }
  PackedAccessor last = accessors[granule];
  if (warps[granule] >> last.warp() & 1 && !moment.isAfter(last.warp(), epochs[granule]))
    return Member{last.warp(), last.lane(), last.site()};
  for (uint32_t left = warps[granule]; left; left &= left - 1) {
    auto warp = uint32_t(std::countr_zero(left));
    if (!moment.isAfter(warp, epochs[granule]))
      return Member{warp, std::nullopt, last.site()};
  }
  return std::nullopt;
}

void AccessSets::clearSlowly(size_t granule, const Moment &moment) {
  if (epochs[granule] <= moment.epoch)
    return replace(granule, 0, {}, 0);
  // Other lanes of the warp are ahead: what they did was not before.
  Epoch own = hasEntry(granule) ? entryAt(granule).epochs[moment.warp] : epochs[granule];
  PackedAccessor who = hasEntry(granule) ? entryAt(granule).accessors[moment.warp] : accessors[granule];
  if (own > moment.epoch)
    replace(granule, own, who, 1u << moment.warp);
  else
    replace(granule, 0, {}, 0);
}

void AccessSets::forgetAll() {
  std::ranges::fill(epochs, 0);
  std::ranges::fill(warps, 0);
  entryOf.clear();
  entries.clear();
  unusedEntries.clear();
}

} // namespace hocket::emulator
