//===- AccessSets.h - Sets of warps that have accessed a granule of memory ------------------------===//
//
// Each granule of memory has a set of reads, of writes, and of atomic accesses. Warps that execute the same read
// between the same two barriers have the same epoch and site, so most sets are stored as an epoch, a site and a mask of
// warps. Any other set has a separate entry with an epoch and a site for each warp. If all members of a set are ordered
// before a new access, the access replaces them, because a later access that is not ordered after one of the members is
// not ordered after the new access, either.
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_ACCESSSETS_H
#define HOCKET_EMULATOR_RACES_ACCESSSETS_H

#include "emulator/races/HappensBefore.h"

#include <cstring>
#include <optional>

namespace hocket::emulator {

/// The lane that made an access, and the access's site in the program.
struct Accessor {
  uint32_t warp = 0, lane = 0, site = 0;
};

/// An Accessor in 32 bits. All sites after the first million share one number.
class PackedAccessor {
public:
  PackedAccessor() = default;
  PackedAccessor(Accessor who)
      : bits(std::min(who.site, kSiteMask) | who.lane << kSiteBits | who.warp << (kSiteBits + kLaneBits)) {}

  Accessor unpack() const { return {bits >> (kSiteBits + kLaneBits), bits >> kSiteBits & kLaneMask, bits & kSiteMask}; }
  /// Returns the same lane at another site.
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
    std::optional<uint32_t> lane; ///< unknown if the set is stored as a mask
    uint32_t site;
  };

  /// The fast path for `n` sets at once. All members must be ordered before the new access, or have its epoch and site.
  /// In any other case, the functions return false and change nothing.
  class Usual {
  public:
    Usual(AccessSets &sets, const ClockState &clocks)
        : epochs(sets.epochs.data()), lasts(sets.lasts.data()), warps(sets.warps.data()), now(clocks.epoch),
          floor(clocks.floor), bit(int32_t(1u << clocks.warp)) {}

    /// True if all members are ordered before an access that the warp makes now.
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
    /// Removes the members, which must be ordered before the access.
    template <unsigned n>
    [[gnu::always_inline]] void clear(size_t first) const {
      store<n>(epochs + first, 0);
    }
    /// Makes `who` the only member, with the current epoch or a given one. All previous members must be ordered before
    /// the access of `who`.
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

  /// Returns a member that is not ordered before `clocks`; nullopt if all members are ordered.
  std::optional<Member> findUnordered(size_t granule, const ClockState &clocks) const;

  void clear(size_t granule, const ClockState &clocks);

  /// Makes `who` the only member. With an `epoch` later than kLastEpoch, no access is ordered after the member.
  void set(size_t granule, Epoch epoch, PackedAccessor who, uint32_t warpsOfSet) {
    if (hasEntry(granule)) [[unlikely]]
      unusedEntries.push_back(lasts[granule].bits);
    epochs[granule] = epoch;
    lasts[granule] = who;
    warps[granule] = warpsOfSet;
  }
  /// Returns the only member of a set with one member.
  Accessor memberOf(size_t granule) const { return lasts[granule].unpack(); }
  Epoch epochOf(size_t granule) const { return epochs[granule]; }

  size_t size() const { return epochs.size(); }
  void forgetAll();

private:
  struct Entry {
    VectorClock epochs;
    std::array<PackedAccessor, kMaxWarps> accessors;
  };
  /// Stored in place of the epoch of a set that has an entry.
  static constexpr Epoch kInEntry = kLastEpoch + 1;

  bool hasEntry(size_t granule) const { return epochs[granule] == kInEntry; }
  Entry &entryOf(size_t granule) { return entries[lasts[granule].bits]; }
  const Entry &entryOf(size_t granule) const { return entries[lasts[granule].bits]; }
  /// Returns the latest epoch of the members.
  Epoch latestOf(size_t granule) const;
  /// Gives the set of accesses of `granule` a separate entry, which has an epoch and a site for each warp. Returns the
  /// entry.
  Entry &spread(size_t granule);

  // Separate arrays, so that a vector instruction handles several granules.
  std::vector<Epoch> epochs;         ///< 0: the set is empty
  std::vector<PackedAccessor> lasts; ///< the latest accessor, or the number of the entry
  std::vector<uint32_t> warps;       ///< masks of warps; valid for sets that are not empty and have no entry
  std::vector<Entry> entries;
  std::vector<uint32_t> unusedEntries;
};

} // namespace hocket::emulator

#endif
