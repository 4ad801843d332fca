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
  bool isAtSiteOf(PackedAccessor other) const { return ((bits ^ other.bits) & kSiteMask) == 0; }

private:
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

  class Set {
  public:
    /// True if all members are ordered before what another warp than theirs does at `moment`.
    bool isBefore(const Moment &moment) const { return epoch <= moment.floor; }
    /// Adds `who` if that is simple; if not, AccessSets::add does.
    [[gnu::always_inline]] bool tryAdd(const Moment &moment, PackedAccessor who) {
      uint32_t bit = 1u << moment.warp;
      if (epoch == moment.epoch && last.isAtSiteOf(who) && warps) {
        if (!(warps & bit)) {
          warps |= bit;
          last = who;
        }
        return true;
      }
      if (epoch > moment.floor || hasEntry())
        return false;
      *this = Set(moment.epoch, who, bit);
      return true;
    }
    /// Removes all if they happened before `moment` and that is simple; if not, AccessSets::clear removes those that
    /// did.
    bool tryClear(const Moment &moment) {
      if (epoch > moment.floor || hasEntry())
        return false;
      epoch = 0;
      return true;
    }

    Set() = default;

  private:
    friend class AccessSets;
    Set(Epoch epoch, PackedAccessor last, uint32_t warps) : epoch(epoch), last(last), warps(warps) {}
    bool hasEntry() const { return epoch && !warps; }

    Epoch epoch = 0; ///< 0: the set is empty; of an entry the latest
    PackedAccessor last;
    uint32_t warps = 0; ///< 0: the set is empty or has an entry
    uint32_t entry = 0;
  };

  explicit AccessSets(size_t granules) : sets(granules) {}

  /// Of all granules.
  Set *data() { return sets.data(); }

  void add(size_t granule, const Moment &moment, PackedAccessor who);

  /// A member that is not ordered before `moment`, if there is one.
  std::optional<Member> findUnordered(size_t granule, const Moment &moment) const;

  void clear(size_t granule, const Moment &moment);

  /// Makes `who` the only member. An epoch later than all others keeps `areBefore` from ever being true.
  void set(size_t granule, Epoch epoch, PackedAccessor who, uint32_t warps);
  /// The member of a set that has one.
  Accessor memberOf(size_t granule) const { return sets[granule].last.unpack(); }

  size_t size() const { return sets.size(); }
  void forgetAll();

private:
  struct Entry {
    VectorClock epochs;
    std::array<PackedAccessor, kMaxWarps> accessors;
  };

  /// Gives the set of `granule` an entry.
  Entry &spread(Set &set);

  std::vector<Set> sets;
  std::vector<Entry> entries;
  std::vector<uint32_t> unusedEntries;
};

} // namespace hocket::emulator

#endif
