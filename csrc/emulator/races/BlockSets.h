//===- BlockSets.h - Sets of warps that read the same memory ---------------------------------===//
//
// If several unordered warps read a granule, or access it atomically, the shadow word of the granule contains the
// number of a set. Adjacent granules are mostly accessed by the same warps. A table therefore maps each step (a set,
// and an access that is added to the set) to the resulting set, so that granules share sets. A set stores its last
// added member completely. For each other member, the set stores only the block and the warp, and also the site if all
// members have the same site.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_BLOCKSETS_H
#define HOCKET_EMULATOR_RACES_BLOCKSETS_H

#include "emulator/races/BlockOrder.h"
#include "emulator/races/GlobalShadow.h"

namespace hocket::emulator {

struct BlockSet {
  BlockClock members; ///< for each block with a member: the epoch of the block's latest access in the set
  /// For each warp with a member (block * numWarps + warp): 1 + the epoch of the warp's latest access in the set.
  BlockClock warps;
  bool oneBlock;        ///< true if all members are in one block
  uint32_t lastSegment; ///< segment of the last added member
  uint32_t lastSite;
  bool oneSite; ///< true if the site of all members is `lastSite`
};

class BlockSets {
public:
  BlockSets(const Segments &segments, unsigned numWarps, unsigned warpSize)
      : segments(segments), numWarps(numWarps), warpSize(warpSize) {}

  const BlockSet &operator[](uint32_t number) const { return sets[number]; }
  /// Returns the number of the set that contains the accesses in `before` and an access of `warp` at `site` in the
  /// segment with number `segment` (BlockOrder.h).
  uint32_t add(AccessWord before, uint32_t segment, uint32_t site, uint32_t warp);
  /// Returns the key of `word` in the table of steps. Words that differ only in the lane of a warp have equal keys.
  uint64_t keyOf(AccessWord word) const { return word.withoutThread() | (word.isSet() ? 0 : word.thread() / warpSize); }
  /// Returns the epoch in which `warp` of `block` made its latest access in `set`; nullopt if the warp is not in `set`.
  std::optional<uint32_t> epochOf(const BlockSet &set, uint64_t block, uint32_t warp) const {
    uint32_t epoch = set.warps.epochOf(block * numWarps + warp);
    return epoch ? std::optional(epoch - 1) : std::nullopt;
  }

private:
  struct Step {
    uint64_t before; ///< keyOf the shadow word before the access
    uint64_t added;  ///< segment, site and warp of the added access
    bool operator==(const Step &) const = default;
  };
  struct HashStep {
    size_t operator()(const Step &step) const {
      return (step.before * 0x9e3779b97f4a7c15 ^ step.added) * 0x9e3779b97f4a7c15 >> 16;
    }
  };
  struct Stripe {
    std::mutex mutex;
    std::unordered_map<Step, uint32_t, HashStep> known;
  };

  BlockSet make(AccessWord before, uint32_t segment, uint32_t site, uint32_t warp) const;
  void insert(BlockSet &set, const Segment &segment, uint32_t warp) const;

  const Segments &segments;
  const unsigned numWarps, warpSize;
  AppendTable<BlockSet> sets;
  std::array<Stripe, 64> stripes;
};

} // namespace hocket::emulator

#endif
