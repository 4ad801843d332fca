//===- SharedShadow.cpp - Finds accesses of shared memory that nothing orders ---------------------===//
#include "emulator/SharedShadow.h"

#include <bit>

namespace hocket::emulator {

SharedShadow::SharedShadow(size_t bytes, unsigned granule)
    : log2Granule(unsigned(std::countr_zero(granule))), writeEpochs((bytes + granule - 1) / granule),
      writers(writeEpochs.size()), reads(writeEpochs.size()) {}

std::optional<Conflict> SharedShadow::access(SharedAccess kind, uint64_t offset, uint64_t bytes, const Moment &moment,
                                             Accessor who) {
  PackedAccessor packed(who);
  size_t first = offset >> log2Granule, last = (offset + bytes - 1) >> log2Granule;
  for (size_t granule = first; granule <= last; ++granule) {
    std::optional<Conflict> conflict = kind == SharedAccess::Read    ? read(granule, moment, packed)
                                       : kind == SharedAccess::Write ? write(granule, moment, packed)
                                                                     : accessAtomically(granule, moment, packed);
    if (conflict) [[unlikely]] {
      conflict->offset = granule << log2Granule;
      return conflict;
    }
  }
  return std::nullopt;
}

std::optional<Conflict> SharedShadow::beginCopy(uint64_t offset, uint64_t bytes, const Moment &moment, Accessor who) {
  if (std::optional<Conflict> conflict = access(SharedAccess::Write, offset, bytes, moment, who))
    return conflict;
  for (size_t granule = offset >> log2Granule; granule <= (offset + bytes - 1) >> log2Granule; ++granule)
    writeEpochs[granule] = kInFlight;
  return std::nullopt;
}

void SharedShadow::endCopy(uint64_t offset, uint64_t bytes, Epoch epoch) {
  for (size_t granule = offset >> log2Granule; granule <= (offset + bytes - 1) >> log2Granule; ++granule)
    writeEpochs[granule] = epoch;
}

void SharedShadow::forgetAll() {
  std::ranges::fill(writeEpochs, 0);
  reads.forgetAll();
  if (atomics)
    atomics->forgetAll();
}

std::optional<Conflict> SharedShadow::findUnorderedWrite(size_t granule, const Moment &moment) const {
  Epoch epoch = writeEpochs[granule];
  if (epoch <= moment.floor) [[likely]]
    return std::nullopt;
  PackedAccessor writer = writers[granule];
  bool inFlight = epoch == kInFlight;
  if (!inFlight && moment.isAfter(writer.warp(), epoch))
    return std::nullopt;
  return Conflict{SharedAccess::Write, inFlight, writer.warp(), writer.lane(), writer.site()};
}

static std::optional<Conflict> conflictWith(SharedAccess kind, const std::optional<AccessSets::Member> &member) {
  if (!member) [[likely]]
    return std::nullopt;
  return Conflict{kind, /*inFlight=*/false, member->warp, member->lane, member->site};
}

std::optional<Conflict> SharedShadow::findUnorderedAtomic(size_t granule, const Moment &moment) const {
  return atomics ? conflictWith(SharedAccess::Atomic, atomics->findUnordered(granule, moment)) : std::nullopt;
}

std::optional<Conflict> SharedShadow::findUnorderedRead(size_t granule, const Moment &moment) const {
  return conflictWith(SharedAccess::Read, reads.findUnordered(granule, moment));
}

std::optional<Conflict> SharedShadow::read(size_t granule, const Moment &moment, PackedAccessor who) {
  std::optional<Conflict> conflict = findUnorderedWrite(granule, moment);
  if (!conflict)
    conflict = findUnorderedAtomic(granule, moment);
  if (!conflict)
    reads.add(granule, moment, who);
  return conflict;
}

std::optional<Conflict> SharedShadow::write(size_t granule, const Moment &moment, PackedAccessor who) {
  std::optional<Conflict> conflict = findUnorderedWrite(granule, moment);
  if (!conflict)
    conflict = findUnorderedAtomic(granule, moment);
  if (!conflict)
    conflict = findUnorderedRead(granule, moment);
  if (conflict)
    return conflict;
  // If another lane of the warp is ahead, its write is the last.
  if (writeEpochs[granule] <= moment.epoch) {
    writeEpochs[granule] = moment.epoch;
    writers[granule] = who;
  }
  reads.clear(granule, moment);
  if (atomics)
    atomics->clear(granule, moment);
  return std::nullopt;
}

std::optional<Conflict> SharedShadow::accessAtomically(size_t granule, const Moment &moment, PackedAccessor who) {
  if (!atomics)
    atomics.emplace(writeEpochs.size());
  std::optional<Conflict> conflict = findUnorderedWrite(granule, moment);
  if (!conflict)
    conflict = findUnorderedRead(granule, moment);
  if (!conflict)
    atomics->add(granule, moment, who);
  return conflict;
}

} // namespace hocket::emulator
