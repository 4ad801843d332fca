//===- SharedShadow.cpp - Shadow of shared memory: accessors of each granule ----------------------===//
#include "emulator/races/SharedShadow.h"

#include <bit>
#include <cstring>

namespace hocket::emulator {

static size_t granuleCount(size_t bytes, unsigned granule) { return (bytes + granule - 1) / granule; }

SharedShadow::SharedShadow(const std::byte *shared, size_t bytes, unsigned granule)
    : shared(shared), log2Granule(unsigned(std::countr_zero(granule))), writes(granuleCount(bytes, granule)),
      reads(granuleCount(bytes, granule)) {}

std::optional<Conflict> SharedShadow::access(SharedAccess kind, const SharedBytes &place, const ClockState &clocks,
                                             Accessor who) {
  PackedAccessor packed(who);
  auto [first, last] = granulesOf(place);
  for (size_t granule = first; granule <= last; ++granule) {
    std::optional<Conflict> conflict = kind == SharedAccess::Read    ? read(granule, clocks, packed)
                                       : kind == SharedAccess::Write ? write(granule, place, clocks, packed)
                                                                     : accessAtomically(granule, clocks, packed);
    if (conflict) [[unlikely]] {
      conflict->offset = std::max<uint64_t>(granule << log2Granule, place.offset);
      return conflict;
    }
  }
  return std::nullopt;
}

std::optional<Conflict> SharedShadow::beginCopy(const SharedBytes &place, const ClockState &clocks, Accessor who) {
  if (std::optional<Conflict> conflict = access(SharedAccess::Write, place, clocks, who))
    return conflict;
  auto [first, last] = granulesOf(place);
  for (size_t granule = first; granule <= last; ++granule)
    writes.set(granule, kInFlight, who, 1u << who.warp);
  return std::nullopt;
}

std::optional<Conflict> SharedShadow::beginRead(const SharedBytes &place, const ClockState &clocks, Accessor who) {
  if (std::optional<Conflict> conflict = access(SharedAccess::Read, place, clocks, who))
    return conflict;
  if (beingRead.empty())
    beingRead.resize(writes.size());
  auto [first, last] = granulesOf(place);
  for (size_t granule = first; granule <= last; ++granule) {
    ++beingRead[granule].count;
    beingRead[granule].last = who;
  }
  return std::nullopt;
}

void SharedShadow::endRead(const SharedBytes &place, const ClockState *clocks, Accessor who) {
  if (beingRead.empty())
    return;
  auto [first, last] = granulesOf(place);
  for (size_t granule = first; granule <= last; ++granule) {
    if (beingRead[granule].count) // the count is 0 if the read was a fault, which is not recorded
      --beingRead[granule].count;
    if (clocks)
      reads.add(granule, *clocks, who);
  }
}

void SharedShadow::forgetAll() {
  writes.forgetAll();
  reads.forgetAll();
  if (atomics)
    atomics->forgetAll();
}

static std::optional<Conflict> conflictWith(SharedAccess kind, const std::optional<AccessSets::Member> &member) {
  if (!member) [[likely]]
    return std::nullopt;
  return Conflict{.earlier = kind, .warp = member->warp, .lane = member->lane, .site = member->site};
}

std::optional<Conflict> SharedShadow::findUnorderedWrite(size_t granule, const ClockState &clocks) const {
  if (writes.epochOf(granule) == kInFlight) [[unlikely]] {
    Accessor copier = writes.memberOf(granule);
    return Conflict{.earlier = SharedAccess::Write,
                    .inFlight = true,
                    .warp = copier.warp,
                    .lane = copier.lane,
                    .site = copier.site};
  }
  return conflictWith(SharedAccess::Write, writes.findUnordered(granule, clocks));
}

std::optional<Conflict> SharedShadow::findUnorderedAtomic(size_t granule, const ClockState &clocks) const {
  return atomics ? conflictWith(SharedAccess::Atomic, atomics->findUnordered(granule, clocks)) : std::nullopt;
}

std::optional<Conflict> SharedShadow::findUnorderedRead(size_t granule, const ClockState &clocks) const {
  return conflictWith(SharedAccess::Read, reads.findUnordered(granule, clocks));
}

bool SharedShadow::isSilent(size_t granule, const SharedBytes &place) const {
  if (!place.stored)
    return false;
  uint64_t begin = std::max<uint64_t>(granule << log2Granule, place.offset);
  uint64_t end = std::min<uint64_t>((granule + 1) << log2Granule, place.offset + place.bytes);
  return std::memcmp(shared + begin, place.stored + (begin - place.offset), end - begin) == 0;
}

std::optional<Conflict> SharedShadow::read(size_t granule, const ClockState &clocks, PackedAccessor who) {
  std::optional<Conflict> conflict = findUnorderedWrite(granule, clocks);
  if (!conflict)
    conflict = findUnorderedAtomic(granule, clocks);
  if (!conflict)
    reads.add(granule, clocks, who);
  return conflict;
}

std::optional<Conflict> SharedShadow::write(size_t granule, const SharedBytes &place, const ClockState &clocks,
                                            PackedAccessor who) {
  std::optional<Conflict> conflict = findUnorderedWrite(granule, clocks);
  if (conflict && !conflict->inFlight && isSilent(granule, place))
    conflict.reset();
  if (!conflict && !beingRead.empty() && beingRead[granule].count) {
    Accessor reader = beingRead[granule].last.unpack();
    conflict = Conflict{.earlier = SharedAccess::Read, .inFlight = true, .warp = reader.warp, .site = reader.site};
  }
  if (!conflict)
    conflict = findUnorderedAtomic(granule, clocks);
  if (!conflict)
    conflict = findUnorderedRead(granule, clocks);
  if (conflict)
    return conflict;
  writes.add(granule, clocks, who);
  reads.clear(granule, clocks);
  if (atomics)
    atomics->clear(granule, clocks);
  return std::nullopt;
}

std::optional<Conflict> SharedShadow::accessAtomically(size_t granule, const ClockState &clocks, PackedAccessor who) {
  if (!atomics)
    atomics.emplace(writes.size());
  std::optional<Conflict> conflict = findUnorderedWrite(granule, clocks);
  if (!conflict)
    conflict = findUnorderedRead(granule, clocks);
  if (!conflict)
    atomics->add(granule, clocks, who);
  return conflict;
}

} // namespace hocket::emulator
