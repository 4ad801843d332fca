//===- SharedShadow.h - Finds accesses of shared memory that nothing orders -----------------------===//
//
// For every granule of shared memory: who has written it last, and who has read it, or accessed it atomically, since.
// An access that is not ordered after those it conflicts with is reported. A granule is the largest unit that no access
// of the kernel splits, so the answers are exact for each byte.
//
// Writes of what is there already do not conflict with other writes: where a layout gives an element to several warps,
// they all store it.
//
// C. Flanagan, S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_SHAREDSHADOW_H
#define HOCKET_EMULATOR_RACES_SHAREDSHADOW_H

#include "emulator/races/AccessSets.h"

#include <cstddef>

namespace hocket::emulator {

enum class SharedAccess : uint8_t { Read, Write, Atomic };

/// What an access runs into.
struct Conflict {
  SharedAccess earlier = SharedAccess::Read;
  bool isHidden = false; ///< a write that the unit which reads does not see without a fence
  bool inFlight = false; ///< a copy, or an asynchronous read, that has not been waited for
  uint32_t warp = 0;
  std::optional<uint32_t> lane = {}; ///< not always known
  uint32_t site = 0;
  uint64_t offset = 0; ///< the first byte that both touched
};

struct SharedBytes {
  uint64_t offset = 0, bytes = 0;
  const std::byte *stored = nullptr; ///< what a store will write, if it is known
};

class SharedShadow {
public:
  /// `granule`: a power of two that divides the offset and width of each access.
  SharedShadow(const std::byte *shared, size_t bytes, unsigned granule);

  /// Reads that go on, of one granule.
  struct BeingRead {
    uint32_t count = 0;
    PackedAccessor last;
  };

  /// Remembers the access, or says what it runs into.
  std::optional<Conflict> access(SharedAccess kind, const SharedBytes &place, const Moment &moment, Accessor who);

  /// The same for the usual: what was last accessed before a barrier, or together with other warps. To be made where
  /// several accesses follow. False where it takes the slow way to tell.
  class Usual {
  public:
    Usual(SharedShadow &shadow, const Moment &moment)
        : writes(shadow.writes, moment), reads(shadow.reads, moment),
          beingRead(shadow.beingRead.empty() ? nullptr : shadow.beingRead.data()), log2Granule(shadow.log2Granule),
          isUsual(!shadow.atomics) {}

    [[gnu::always_inline]] bool tryRead(uint64_t offset, uint64_t bytes, PackedAccessor who) const {
      return isUsual && forGranules(offset, bytes, [&]<unsigned n>(size_t first) __attribute__((always_inline)) {
               return writes.areBefore<n>(first) && reads.tryAdd<n>(first, who);
             });
    }
    [[gnu::always_inline]] bool tryWrite(uint64_t offset, uint64_t bytes, PackedAccessor who) const {
      return isUsual && forGranules(offset, bytes, [&]<unsigned n>(size_t first) __attribute__((always_inline)) {
               bool isAfterAll = isAfterAllAt<n>(first);
               if (isAfterAll) [[likely]] {
                 reads.clear<n>(first);
                 writes.set<n>(first, who);
               }
               return isAfterAll;
             });
    }
    [[gnu::always_inline]] bool tryBeginCopy(uint64_t offset, uint64_t bytes, PackedAccessor who) const {
      return isUsual && forGranules(offset, bytes, [&]<unsigned n>(size_t first) __attribute__((always_inline)) {
               bool isAfterAll = isAfterAllAt<n>(first);
               if (isAfterAll) [[likely]] {
                 reads.clear<n>(first);
                 writes.set<n>(first, kInFlight, who);
               }
               return isAfterAll;
             });
    }

  private:
    /// Calls `function<n>(first)` for all granules, up to four at a time, while it answers true.
    template <typename Function>
    [[gnu::always_inline]] bool forGranules(uint64_t offset, uint64_t bytes, Function function) const {
      size_t next = offset >> log2Granule, left = bytes >> log2Granule;
      for (; left >= 4; left -= 4, next += 4)
        if (!function.template operator()<4>(next))
          return false;
      if (left & 2) {
        if (!function.template operator()<2>(next))
          return false;
        next += 2;
      }
      return !(left & 1) || function.template operator()<1>(next);
    }
    template <unsigned n>
    [[gnu::always_inline]] bool isAfterAllAt(size_t first) const {
      return !isBeingRead(first, n) && writes.areBefore<n>(first) && reads.areBefore<n>(first);
    }
    [[gnu::always_inline]] bool isBeingRead(size_t first, unsigned count) const {
      if (beingRead) [[unlikely]]
        for (size_t granule = first; granule < first + count; ++granule)
          if (beingRead[granule].count)
            return true;
      return false;
    }

    const AccessSets::Usual writes, reads;
    const BeingRead *const beingRead;
    const unsigned log2Granule;
    const bool isUsual;
  };

  /// Until `endCopy` any access of these bytes runs into the copy.
  std::optional<Conflict> beginCopy(const SharedBytes &place, const Moment &moment, Accessor who);
  /// From here on the copy is a write by `who` at the epoch `then`, or nothing without one.
  void endCopy(const SharedBytes &place, std::optional<Epoch> then, Accessor who) {
    PackedAccessor packed(who);
    auto [first, last] = granulesOf(place);
    for (size_t granule = first; granule <= last; ++granule)
      writes.set(granule, then.value_or(0), packed, then ? 1u << who.warp : 0);
  }

  /// Until `endRead` any write of these bytes runs into the read.
  std::optional<Conflict> beginRead(const SharedBytes &place, const Moment &moment, Accessor who);
  /// From here on it is a read by `who` at `moment`, or nothing without one.
  void endRead(const SharedBytes &place, const Moment *moment, Accessor who);

  /// For when epochs begin anew.
  void forgetAll();

private:
  /// Of a write that is still to come: in no moment's past.
  static constexpr Epoch kInFlight = kLastEpoch + 2;

  struct Granules {
    size_t first, last;
  };
  Granules granulesOf(const SharedBytes &place) const {
    return {place.offset >> log2Granule, (place.offset + place.bytes - 1) >> log2Granule};
  }
  std::optional<Conflict> read(size_t granule, const Moment &moment, PackedAccessor who);
  /// `place`: of the whole store.
  std::optional<Conflict> write(size_t granule, const SharedBytes &place, const Moment &moment, PackedAccessor who);
  std::optional<Conflict> accessAtomically(size_t granule, const Moment &moment, PackedAccessor who);
  std::optional<Conflict> findUnorderedWrite(size_t granule, const Moment &moment) const;
  std::optional<Conflict> findUnorderedAtomic(size_t granule, const Moment &moment) const;
  std::optional<Conflict> findUnorderedRead(size_t granule, const Moment &moment) const;
  /// True if the store changes nothing here.
  bool isSilent(size_t granule, const SharedBytes &place) const;

  const std::byte *shared;
  const unsigned log2Granule;
  AccessSets writes;                 ///< the last, and equal ones that are not ordered
  AccessSets reads;                  ///< since the last write
  std::optional<AccessSets> atomics; ///< since the last write, once there are any
  std::vector<BeingRead> beingRead;  ///< by granule, once something is read asynchronously
};

} // namespace hocket::emulator

#endif
