//===- AccessSets.h - Which warps have accessed a place -------------------------------------------===//
//
// One set per granule of memory; sets of writes and of atomic accesses are of the same kind. Warps that read together,
// between the same barriers, have the same epoch and place in the source, so a set is usually these two and a mask of
// warps. Where they differ the set has an entry, elsewhere, with an epoch and a place for each warp. A set whose
// members are all ordered before a newcomer is replaced by it: whatever is not ordered after them is not ordered after
// the newcomer either.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_ACCESSSETS_H
#define HOCKET_EMULATOR_ACCESSSETS_H

#include "emulator/HappensBefore.h"

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

  uint32_t warp() const { return bits >> (kSiteBits + kLaneBits); }
  uint32_t lane() const { return bits >> kSiteBits & ((1u << kLaneBits) - 1); }
  uint32_t site() const { return bits & kSiteMask; }

private:
  static constexpr uint32_t kSiteBits = 20, kLaneBits = 6, kSiteMask = (1u << kSiteBits) - 1;
  uint32_t bits = 0;
};

class AccessSets {
public:
  struct Member {
    uint32_t warp;
    std::optional<uint32_t> lane; ///< not kept for each warp of a mask
    uint32_t site;
  };

  explicit AccessSets(size_t granules) : epochs(granules), accessors(granules), warps(granules) {}

  void add(size_t granule, const Moment &moment, PackedAccessor who) {
    bool isMember =
        epochs[granule] == moment.epoch && warps[granule] >> moment.warp & 1 && accessors[granule].site() == who.site();
    if (!isMember)
      addSlowly(granule, moment, who);
  }

  /// A member that is not ordered before `moment`, if there is one.
  std::optional<Member> findUnordered(size_t granule, const Moment &moment) const {
    if (epochs[granule] <= moment.floor) [[likely]]
      return std::nullopt;
    return findUnorderedSlowly(granule, moment);
  }

  /// Removes what happened before `moment`, at which the granule is written.
  void clear(size_t granule, const Moment &moment) {
    if (epochs[granule])
      clearSlowly(granule, moment);
  }

  /// Makes `who` the only member.
  void set(size_t granule, const Moment &moment, PackedAccessor who) {
    replace(granule, moment.epoch, who, 1u << moment.warp);
  }

  /// The member of a set that has one.
  Accessor lastOf(size_t granule) const {
    return {accessors[granule].warp(), accessors[granule].lane(), accessors[granule].site()};
  }

  size_t size() const { return epochs.size(); }
  void forgetAll();

private:
  struct Entry {
    VectorClock epochs;
    std::array<PackedAccessor, kMaxWarps> accessors;
  };

  void addSlowly(size_t granule, const Moment &moment, PackedAccessor who);
  std::optional<Member> findUnorderedSlowly(size_t granule, const Moment &moment) const;
  void clearSlowly(size_t granule, const Moment &moment);
  void replace(size_t granule, Epoch epoch, PackedAccessor who, uint32_t mask);
  /// Gives the set of `granule` an entry.
  Entry &spread(size_t granule);
  Entry &entryAt(size_t granule) { return entries[entryOf[granule]]; }
  const Entry &entryAt(size_t granule) const { return entries[entryOf[granule]]; }
  bool hasEntry(size_t granule) const { return epochs[granule] && !warps[granule]; }

  std::vector<Epoch> epochs; ///< 0: the set is empty; of an entry the latest
  std::vector<PackedAccessor> accessors;
  std::vector<uint32_t> warps;   ///< 0: the set has an entry
  std::vector<uint32_t> entryOf; ///< by granule; empty until the first entry
  std::vector<Entry> entries;
  std::vector<uint32_t> unusedEntries;
};

} // namespace hocket::emulator

#endif
