//===- BlockSets.cpp - Sets of warps that read the same memory -------------------------------===//
#include "emulator/races/BlockSets.h"

namespace hocket::emulator {

void BlockSets::insert(BlockSet &set, const Segment &segment, uint32_t warp) const {
  set.members = set.members.with(segment.block, segment.epoch);
  set.warps = set.warps.with(segment.block * numWarps + warp, segment.warpEpoch + 1);
}

BlockSet BlockSets::make(AccessWord before, uint32_t segment, uint32_t site, uint32_t warp) const {
  Segment added = segments[segment];
  BlockSet set = {
      .members = {}, .warps = {}, .oneBlock = true, .lastSegment = segment, .lastSite = site, .oneSite = true};
  if (before.isSet()) {
    const BlockSet &old = sets[before.set()];
    set.members = old.members;
    set.warps = old.warps;
    set.oneBlock = old.oneBlock && segments[old.lastSegment].block == added.block;
    set.oneSite = old.oneSite && old.lastSite == site;
  } else {
    Segment old = segments[before.segment()];
    insert(set, old, before.thread() / warpSize);
    set.oneBlock = old.block == added.block;
    set.oneSite = before.site() == site;
  }
  insert(set, added, warp);
  return set;
}

uint32_t BlockSets::add(AccessWord before, uint32_t segment, uint32_t site, uint32_t warp) {
  static_assert(uint64_t(AccessWord::kMaxSite) * kMaxWarps < uint64_t(1) << 32, "site and warp fit into 32 bits");
  Step step = {keyOf(before), uint64_t(segment) << 32 | (site * kMaxWarps + warp)};
  Stripe &stripe = stripes[HashStep()(step) % stripes.size()];
  std::lock_guard lock(stripe.mutex);
  auto [known, isNew] = stripe.known.try_emplace(step);
  if (isNew)
    known->second = uint32_t(sets.append(make(before, segment, site, warp)));
  return known->second;
}

} // namespace hocket::emulator
