//===- Lane.h - One lane of a block, and sets of lanes -----------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_LANE_H
#define HOCKET_EMULATOR_BLOCK_LANE_H

#include "conversion/gpu_to_host/HostAbi.h"

#include <bit>
#include <cstdint>

namespace hocket::emulator {

class BlockRunner;

/// What emulated code hands to every runtime call. What a component of the block keeps for each lane, it keeps itself.
struct Lane : host_abi::LaneContext {
  BlockRunner *runner = nullptr;
  uint32_t waitSite = 0;            ///< where it waits
  const std::byte *frame = nullptr; ///< where its part of the stack begins: the stack grows down from here
};

/// A set of lanes of one warp: bit i stands for lane i.
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
