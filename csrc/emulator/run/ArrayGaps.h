//===- ArrayGaps.h - Memory between the elements of a strided array ----------------------------===//
//
//   big[::2]      a run of 1 element every 2:          x.x.x.x.
//   big[:, :3]    a run of 3 elements every row:       xxx..xxx..xxx
//
// Each dimension becomes a level. Levels are in descending order of strides. The innermost contiguous dimensions are
// merged into a run without gaps. If the elements of an array overlap or are interleaved in another way, the array is
// treated as having no gaps.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RUN_ARRAYGAPS_H
#define HOCKET_EMULATOR_RUN_ARRAYGAPS_H

#include "emulator/Emulator.h"

namespace hocket::emulator {

class ArrayGaps {
public:
  ArrayGaps(llvm::ArrayRef<ArrayDimension> dimensions, uint64_t elementBytes);

  /// True if all of the `bytes` bytes at `offset` belong to elements. `offset` is relative to the element with the
  /// lowest address.
  bool areAvoided(uint64_t offset, uint64_t bytes) const {
    for (const Level &level : levels)
      offset -= std::min(offset / level.stride, level.last) * level.stride;
    return offset + bytes <= run || levels.empty();
  }

private:
  struct Level {
    uint64_t stride, last; ///< `stride` in bytes; `last`: the highest index of the level
  };
  std::vector<Level> levels;
  uint64_t run;
};

} // namespace hocket::emulator

#endif
