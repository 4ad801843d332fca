//===- AccessSets.h - Sets of warps that have accessed a granule of memory ------------------------===//
//
// For each granule of shared memory (SharedShadow.h), the race detector keeps a set of reads, a set of writes and a set
// of atomic accesses. Warps that execute the same load between the same two barriers have the same epoch and the same
// site (source location). Most sets are therefore stored as an epoch, a site and a mask of warps. A set whose members
// differ in epoch or site has a separate entry, which stores an epoch and a site for each warp. If all members of a set
// are ordered before a new access, the new access replaces the members. The replacement hides no race: an access that
// is ordered after the new access is also ordered after the replaced members.
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_ACCESSSETS_H
#define HOCKET_EMULATOR_RACES_ACCESSSETS_H

#include "emulator/races/HappensBefore.h"

#include <cstring>
#include <optional>

namespace hocket::emulator {

/// The lane that made an access, and the number of the access's site (source location).
struct Accessor {
  uint32_t warp = 0, lane = 0, site = 0;
};

/// An Accessor that is packed into 32 bits. Site numbers are clamped to 2^20 - 1.
class PackedAccessor {
public:
  PackedAccessor() = default;
  PackedAccessor(Accessor who)
      : bits(std::min(who.site, kSiteMask) | who.lane << kSiteBits | who.warp << (kSiteBits + kLaneBits)) {}

  Accessor unpack() const { return {bits >> (kSiteBits + kLaneBits), bits >> kSiteBits & kLaneMask, bits & kSiteMask}; }
  /// Returns this accessor with its site replaced by `site`.
  PackedAccessor at(uint32_t site) const {
    PackedAccessor moved;
    moved.bits = (bits & ~kSiteMask) | std::min(site, kSiteMask);
    return moved;
  }
  bool isAtSiteOf(PackedAccessor other) const { return ((bits ^ other.bits) & kSiteMask) == 0; }

private:
  friend class AccessSets;
  static constexpr uint32_t kSiteBits = 20, kLaneBits = 6;
  static constexpr uint32_t kSiteMask = (1u << kSiteBits) - 1, kLaneMask = (1u << kLaneBits) - 1;
  uint32_t bits = 0;
};

class AccessSets {
public:
  struct Member {
    uint32_t warp;
    std::optional<uint32_t> lane; ///< nullopt if the set does not store the lane
    uint32_t site;
  };

  /// Fast path for the sets of `n` adjacent granules. `areBefore` returns true if all members are ordered before the
  /// new access. `tryAdd` also accepts members that have the epoch and the site of the new access. Each of the two
  /// functions returns false, and changes nothing, if the fast path does not apply.
  class Usual {
  public:
    Usual(AccessSets &sets, const ClockState &clocks)
        : epochs(sets.epochs.data()), lasts(sets.lasts.data()), warps(sets.warps.data()), now(clocks.epoch),
          floor(clocks.floor), bit(int32_t(1u << clocks.warp)) {}

    /// True if all members of the sets are ordered before an access that the warp makes in its current epoch.
    template <unsigned n>
    [[gnu::always_inline]] bool areBefore(size_t first) const {
      return all(load<n>(epochs + first) <= floor);
    }
    template <unsigned n>
    [[gnu::always_inline]] bool tryAdd(size_t first, PackedAccessor who) const {
      auto epoch = load<n>(epochs + first), last = load<n>(lasts + first), warp = load<n>(warps + first);
      auto isSame = (epoch == now) & (((last ^ int32_t(who.bits)) & PackedAccessor::kSiteMask) == 0);
      if (!all(isSame | (epoch <= floor)))
        return false;
      auto isIn = isSame & ((warp & bit) == bit);
      store<n>(epochs + first, now);
      store<n>(lasts + first, (last & isIn) | (int32_t(who.bits) & ~isIn));
      store<n>(warps + first, (warp & isSame) | bit);
      return true;
    }
    /// Removes all members of the sets. Requires that all members are ordered before the current access.
    template <unsigned n>
    [[gnu::always_inline]] void clear(size_t first) const {
      store<n>(epochs + first, 0);
    }
    /// Makes `who` the only member of each set, with the current epoch or with `epoch`. Requires that all previous
    /// members are ordered before the access of `who`.
    template <unsigned n>
    [[gnu::always_inline]] void set(size_t first, PackedAccessor who) const {
      set<n>(first, now, who);
    }
    template <unsigned n>
    [[gnu::always_inline]] void set(size_t first, Epoch epoch, PackedAccessor who) const {
      store<n>(epochs + first, epoch);
      store<n>(lasts + first, int32_t(who.bits));
      store<n>(warps + first, bit);
    }

  private:
    template <unsigned n>
    struct Vector {
      using Type [[gnu::vector_size(sizeof(int32_t) * n)]] = int32_t;
    };
    template <unsigned n>
    [[gnu::always_inline]] static auto load(const void *from) {
      typename Vector<n>::Type values;
      std::memcpy(&values, from, sizeof(values));
      return values;
    }
    template <unsigned n>
    [[gnu::always_inline]] static void store(void *to, typename Vector<n>::Type values) {
      std::memcpy(to, &values, sizeof(values));
    }
    template <unsigned n>
    [[gnu::always_inline]] static void store(void *to, int32_t value) {
      store<n>(to, value - typename Vector<n>::Type{});
    }
    [[gnu::always_inline]] static bool all(auto isTrue) { return __builtin_reduce_and(isTrue) != 0; }

    Epoch *const epochs;
    PackedAccessor *const lasts;
    uint32_t *const warps;
    const Epoch now, floor;
    const int32_t bit;
  };

  explicit AccessSets(size_t granules) : epochs(granules), lasts(granules), warps(granules) {}

  void add(size_t granule, const ClockState &clocks, PackedAccessor who);

  /// Returns a member of the set of `granule` that is not ordered before an access in the clock state `clocks`; nullopt
  /// if there is no such member.
  std::optional<Member> findUnordered(size_t granule, const ClockState &clocks) const;

  void clear(size_t granule, const ClockState &clocks);

  /// Makes `who` the only member of the set of `granule`. With an `epoch` later than kLastEpoch, no access is ordered
  /// after the member.
  void set(size_t granule, Epoch epoch, PackedAccessor who, uint32_t warpsOfSet) {
    if (hasEntry(granule)) [[unlikely]]
      unusedEntries.push_back(lasts[granule].bits);
    epochs[granule] = epoch;
    lasts[granule] = who;
    warps[granule] = warpsOfSet;
  }
  /// Returns the member of the set of `granule`, which must have exactly one member.
  Accessor memberOf(size_t granule) const { return lasts[granule].unpack(); }
  Epoch epochOf(size_t granule) const { return epochs[granule]; }

  size_t size() const { return epochs.size(); }
  void forgetAll();

private:
  struct Entry {
    VectorClock epochs;
    std::array<PackedAccessor, kMaxWarps> accessors;
  };
  /// Value in `epochs` that marks a set with a separate entry.
  static constexpr Epoch kInEntry = kLastEpoch + 1;

  bool hasEntry(size_t granule) const { return epochs[granule] == kInEntry; }
  Entry &entryOf(size_t granule) { return entries[lasts[granule].bits]; }
  const Entry &entryOf(size_t granule) const { return entries[lasts[granule].bits]; }
  /// Returns the latest epoch of the members of the set of `granule`.
  Epoch latestOf(size_t granule) const;
  /// Moves the set of `granule` to a separate entry, which stores an epoch and a site for each warp. Returns the entry.
  Entry &spread(size_t granule);

  // The fields of a set are in separate arrays, so that one vector instruction processes several granules.
  std::vector<Epoch> epochs;         ///< epoch of the members of each set; 0 if the set is empty
  std::vector<PackedAccessor> lasts; ///< latest accessor in each set, or the number of the set's entry
  std::vector<uint32_t> warps;       ///< masks of warps; valid for sets that are not empty and have no entry
  std::vector<Entry> entries;
  std::vector<uint32_t> unusedEntries;
};

} // namespace hocket::emulator

#endif
