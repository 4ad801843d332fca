//===- AccessSets.h - Which warps have accessed a place -------------------------------------------===//
//
// One set per granule of memory: of reads, of writes, or of atomic accesses. Warps that read together, between the same
// barriers, have the same epoch and place in the source, so a set is usually these two and a mask of warps. Where they
// differ the set has an entry, elsewhere, with an epoch and a place for each warp. A set whose members are all ordered
// before a newcomer is replaced by it: whatever is not ordered after them is not ordered after the newcomer either.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_ACCESSSETS_H
#define HOCKET_EMULATOR_RACES_ACCESSSETS_H

#include "emulator/races/HappensBefore.h"

#include <cstring>
#include <optional>

namespace hocket::emulator {

/// A lane at a place in the source.
struct Accessor {
  uint32_t warp = 0, lane = 0, site = 0;
};

/// An Accessor in 32 bits. Sites beyond the first million are taken for the last of them.
class PackedAccessor {
public:
  PackedAccessor() = default;
  PackedAccessor(Accessor who)
      : bits(std::min(who.site, kSiteMask) | who.lane << kSiteBits | who.warp << (kSiteBits + kLaneBits)) {}

  Accessor unpack() const { return {bits >> (kSiteBits + kLaneBits), bits >> kSiteBits & kLaneMask, bits & kSiteMask}; }
  /// The same lane at another site.
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
    std::optional<uint32_t> lane; ///< not kept for each warp of a mask
    uint32_t site;
  };

  /// What can be done to `n` sets at once while all are simple: members are ordered before what comes, or are of the
  /// same epoch and site. If they are not, the answer is false, and nothing has been done.
  class Usual {
  public:
    Usual(AccessSets &sets, const Moment &moment)
        : epochs(sets.epochs.data()), lasts(sets.lasts.data()), warps(sets.warps.data()), now(moment.epoch),
          floor(moment.floor), bit(int32_t(1u << moment.warp)) {}

    /// Whether all members are ordered before what another warp than theirs does now.
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
    /// Where members are before: removes them.
    template <unsigned n>
    [[gnu::always_inline]] void clear(size_t first) const {
      store<n>(epochs + first, 0);
    }
    /// Where members are before: makes `who` the only one, now or with an epoch of its own.
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

  void add(size_t granule, const Moment &moment, PackedAccessor who);

  /// A member that is not ordered before `moment`, if there is one.
  std::optional<Member> findUnordered(size_t granule, const Moment &moment) const;

  void clear(size_t granule, const Moment &moment);

  /// Makes `who` the only member. An epoch later than all others keeps it from ever being before.
  void set(size_t granule, Epoch epoch, PackedAccessor who, uint32_t warpsOfSet) {
    if (hasEntry(granule)) [[unlikely]]
      unusedEntries.push_back(lasts[granule].bits);
    epochs[granule] = epoch;
    lasts[granule] = who;
    warps[granule] = warpsOfSet;
  }
  /// Of a set that has one member.
  Accessor memberOf(size_t granule) const { return lasts[granule].unpack(); }
  Epoch epochOf(size_t granule) const { return epochs[granule]; }

  size_t size() const { return epochs.size(); }
  void forgetAll();

private:
  struct Entry {
    VectorClock epochs;
    std::array<PackedAccessor, kMaxWarps> accessors;
  };
  /// Of a set with an entry.
  static constexpr Epoch kInEntry = kLastEpoch + 1;

  bool hasEntry(size_t granule) const { return epochs[granule] == kInEntry; }
  Entry &entryOf(size_t granule) { return entries[lasts[granule].bits]; }
  const Entry &entryOf(size_t granule) const { return entries[lasts[granule].bits]; }
  /// The latest epoch of its members.
  Epoch latestOf(size_t granule) const;
  /// Gives the set of `granule` an entry.
  Entry &spread(size_t granule);

  // Field by field, so that several granules fit a vector.
  std::vector<Epoch> epochs;         ///< 0: the set is empty
  std::vector<PackedAccessor> lasts; ///< who came last; or the number of the entry
  std::vector<uint32_t> warps;       ///< of a set that is not empty and has no entry
  std::vector<Entry> entries;
  std::vector<uint32_t> unusedEntries;
};

} // namespace hocket::emulator

#endif
