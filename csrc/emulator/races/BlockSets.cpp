//===- BlockSets.cpp - Sets of blocks that read the same memory ------------------------------===//
#include "emulator/races/BlockSets.h"

namespace hocket::emulator {

BlockSet BlockSets::make(AccessWord before, uint32_t segment, uint32_t site) const {
  Segment added = segments[segment];
  BlockSet set = {.members = {}, .lastSegment = segment, .lastSite = site, .oneSite = true};
  if (before.isSet()) {
    const BlockSet &old = sets[before.set()];
    set.members = old.members;
    set.oneSite = old.oneSite && old.lastSite == site;
  } else {
    Segment old = segments[before.segment()];
    set.members = set.members.with(old.block, old.epoch);
    set.oneSite = before.site() == site;
  }
  set.members = set.members.with(added.block, added.epoch);
  return set;
}

uint32_t BlockSets::add(AccessWord before, uint32_t segment, uint32_t site) {
  Step step = {before.withoutThread(), uint64_t(segment) << 32 | site};
  Stripe &stripe = stripes[HashStep()(step) % stripes.size()];
  std::lock_guard lock(stripe.mutex);
  auto [known, isNew] = stripe.known.try_emplace(step);
  if (isNew)
    known->second = uint32_t(sets.append(make(before, segment, site)));
  return known->second;
}

} // namespace hocket::emulator
