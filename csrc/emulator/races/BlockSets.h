//===- BlockSets.h - Sets of warps that read the same memory ---------------------------------===//
//
// Where several unordered warps read a granule, or access it atomically, its word is the number of a set. Adjacent
// granules are mostly accessed by the same warps, so equal steps (this set, plus that warp) lead to the same set: the
// number of sets is that of distinct steps, not of granules. A set stores the last added member completely; of the
// others it stores block and warp, and the source line if all members share one.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_BLOCKSETS_H
#define HOCKET_EMULATOR_RACES_BLOCKSETS_H

#include "emulator/races/BlockOrder.h"
#include "emulator/races/GlobalShadow.h"

namespace hocket::emulator {

struct BlockSet {
  BlockClock members;   ///< blocks with the epochs of their latest accesses
  BlockClock warps;     ///< warps, numbered through all blocks, with their epochs then plus one
  bool oneBlock;        ///< all members are of one block
  uint32_t lastSegment; ///< segment of the member added last
  uint32_t lastSite;
  bool oneSite; ///< all members were at `lastSite`
};

class BlockSets {
public:
  BlockSets(const Segments &segments, unsigned numWarps, unsigned warpSize)
      : segments(segments), numWarps(numWarps), warpSize(warpSize) {}

  const BlockSet &operator[](uint32_t number) const { return sets[number]; }
  /// Returns the number of the set that `before` represents, extended by an access of `warp` in `segment` at `site`.
  uint32_t add(AccessWord before, uint32_t segment, uint32_t site, uint32_t warp);
  /// Returns the key of `word` in the table of steps: it is equal for all lanes of a warp.
  uint64_t keyOf(AccessWord word) const { return word.withoutThread() | (word.isSet() ? 0 : word.thread() / warpSize); }
  /// Returns the epoch of `warp` of `block` at its latest access, if it is in the set.
  std::optional<uint32_t> epochOf(const BlockSet &set, uint64_t block, uint32_t warp) const {
    uint32_t epoch = set.warps.epochOf(block * numWarps + warp);
    return epoch ? std::optional(epoch - 1) : std::nullopt;
  }

private:
  struct Step {
    uint64_t before; ///< keyOf
    uint64_t added;  ///< segment, site and warp
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
