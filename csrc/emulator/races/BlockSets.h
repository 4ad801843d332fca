//===- BlockSets.h - Sets of blocks that read the same memory --------------------------------===//
//
// Where several blocks that nothing orders read a granule, or access it atomically, its word is the number of a set.
// Neighbouring granules are mostly accessed by the same blocks, so equal steps (this set, and now that block) lead to
// the same set: there are as many sets as ways in which sets grew, not as many as granules. Of the member added last
// all is known, of the others the block, and the source line where all members share one.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_BLOCKSETS_H
#define HOCKET_EMULATOR_RACES_BLOCKSETS_H

#include "emulator/races/BlockOrder.h"
#include "emulator/races/GlobalShadow.h"

namespace hocket::emulator {

struct BlockSet {
  BlockClock members;   ///< blocks and the epochs of their latest accesses
  uint32_t lastSegment; ///< of the member added last
  uint32_t lastSite;
  bool oneSite; ///< all members were at `lastSite`
};

class BlockSets {
public:
  explicit BlockSets(const Segments &segments) : segments(segments) {}

  const BlockSet &operator[](uint32_t number) const { return sets[number]; }
  /// The number of the set of what `before` stands for and an access of `segment` at `site`.
  uint32_t add(AccessWord before, uint32_t segment, uint32_t site);

private:
  struct Step {
    uint64_t before; ///< AccessWord::withoutThread
    uint64_t added;  ///< segment and site
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

  BlockSet make(AccessWord before, uint32_t segment, uint32_t site) const;

  const Segments &segments;
  AppendTable<BlockSet> sets;
  std::array<Stripe, 64> stripes;
};

} // namespace hocket::emulator

#endif
