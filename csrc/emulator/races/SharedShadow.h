//===- SharedShadow.h - Shadow of shared memory: accessors of each granule ------------------------===//
//
// For every granule of shared memory, the shadow holds the last writer, and the lanes that have read or atomically
// accessed the granule since that write. An access is reported if it is not ordered after all accesses with which it
// conflicts. Granules have the largest size with which every access covers whole granules, so that races are found
// exactly to the byte.
//
// A write that does not change the value in memory does not conflict with other writes, because a layout may replicate
// an element in several warps, all of which store the same value.
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

/// The earlier access with which the current access conflicts.
struct Conflict {
  SharedAccess earlier = SharedAccess::Read;
  bool isHidden = false; ///< true for a write that no proxy fence makes visible to the async proxy
  bool inFlight = false; ///< true for an outstanding asynchronous copy or read
  uint32_t warp = 0;
  std::optional<uint32_t> lane = {}; ///< lane of the earlier access, if known
  uint32_t site = 0;
  uint64_t offset = 0; ///< first byte that both accesses cover
};

struct SharedBytes {
  uint64_t offset = 0, bytes = 0;
  const std::byte *stored = nullptr; ///< the values that a store will write; null if not known
};

class SharedShadow {
public:
  /// `granule`: a power of two that divides the offset and width of each access.
  SharedShadow(const std::byte *shared, size_t bytes, unsigned granule);

  /// Outstanding asynchronous reads of one granule.
  struct BeingRead {
    uint32_t count = 0;
    PackedAccessor last;
  };

  /// Records the access, or returns the earlier access with which it conflicts.
  std::optional<Conflict> access(SharedAccess kind, const SharedBytes &place, const ClockState &clocks, Accessor who);

  /// Fast path for granules that were last accessed before a barrier, or by the same instruction in several warps. One
  /// object can check several accesses. A function of this class returns false if the fast path does not apply. The
  /// slow path must then check the access.
  class Usual {
  public:
    Usual(SharedShadow &shadow, const ClockState &clocks)
        : writes(shadow.writes, clocks), reads(shadow.reads, clocks),
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
    /// Calls `function<n>(first)` for runs of n adjacent granules (n is 4, 2 or 1), until a call returns false.
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

  /// Records that a copy to these bytes begins. Until `endCopy`, any access of the copy's destination conflicts with
  /// the copy.
  std::optional<Conflict> beginCopy(const SharedBytes &place, const ClockState &clocks, Accessor who);
  /// Records that a copy to these bytes ends: records the copy as a write by `who` at the epoch `then`, or discards the
  /// copy if `then` is nullopt.
  void endCopy(const SharedBytes &place, std::optional<Epoch> then, Accessor who) {
    PackedAccessor packed(who);
    auto [first, last] = granulesOf(place);
    for (size_t granule = first; granule <= last; ++granule)
      writes.set(granule, then.value_or(0), packed, then ? 1u << who.warp : 0);
  }

  /// Records that an asynchronous read of these bytes begins. Until `endRead`, any write of these bytes conflicts with
  /// the read.
  std::optional<Conflict> beginRead(const SharedBytes &place, const ClockState &clocks, Accessor who);
  /// Records that an asynchronous read of these bytes ends: records the read with the clocks `clocks`, or discards the
  /// read if `clocks` is null.
  void endRead(const SharedBytes &place, const ClockState *clocks, Accessor who);

  /// Discards all recorded accesses. Must be called when the epochs restart.
  void forgetAll();

private:
  /// Epoch that represents the write of a copy in flight. No access is ordered after a write in this epoch.
  static constexpr Epoch kInFlight = kLastEpoch + 2;

  struct Granules {
    size_t first, last;
  };
  Granules granulesOf(const SharedBytes &place) const {
    return {place.offset >> log2Granule, (place.offset + place.bytes - 1) >> log2Granule};
  }
  std::optional<Conflict> read(size_t granule, const ClockState &clocks, PackedAccessor who);
  /// Records a write to one granule. `place` describes all bytes of the store.
  std::optional<Conflict> write(size_t granule, const SharedBytes &place, const ClockState &clocks, PackedAccessor who);
  std::optional<Conflict> accessAtomically(size_t granule, const ClockState &clocks, PackedAccessor who);
  std::optional<Conflict> findUnorderedWrite(size_t granule, const ClockState &clocks) const;
  std::optional<Conflict> findUnorderedAtomic(size_t granule, const ClockState &clocks) const;
  std::optional<Conflict> findUnorderedRead(size_t granule, const ClockState &clocks) const;
  /// True if the store does not change the bytes of this granule.
  bool isSilent(size_t granule, const SharedBytes &place) const;

  const std::byte *shared;
  const unsigned log2Granule;
  AccessSets writes;                 ///< the last write, and unordered writes of the same value
  AccessSets reads;                  ///< reads since the last write
  std::optional<AccessSets> atomics; ///< atomic accesses since the last write; nullopt before the first one
  std::vector<BeingRead> beingRead;  ///< one element for each granule; empty until the first asynchronous read
};

} // namespace hocket::emulator

#endif
