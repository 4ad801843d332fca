//===- Lane.h - One lane of a block, and sets of lanes -----------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_LANE_H
#define HOCKET_EMULATOR_BLOCK_LANE_H

#include "emulator_abi/HostAbi.h"

#include <bit>
#include <cstdint>

namespace hocket::emulator {

class BlockRunner;

/// A lane of the block. Emulated code passes its lane as the first argument of every runtime call. Components of the
/// block keep their own state for each lane.
struct Lane : host_abi::LaneContext {
  BlockRunner *runner = nullptr;
  uint32_t waitSite = 0;            ///< site (source location) at which the lane waits
  const std::byte *frame = nullptr; ///< highest address of the lane's stack frames; the stack grows downwards
};

/// A set of lanes of one warp: bit i is lane i.
using LaneMask = uint64_t;

inline LaneMask bitOf(const Lane &lane) { return LaneMask(1) << lane.lane; }
inline unsigned firstOf(LaneMask lanes) { return unsigned(std::countr_zero(lanes)); }

template <typename Function>
void forEachLane(LaneMask lanes, Function function) {
  for (; lanes; lanes &= lanes - 1)
    function(firstOf(lanes));
}

} // namespace hocket::emulator

#endif
