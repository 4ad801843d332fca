//===- Occupancy.cpp - Occupancy: resident blocks and warps per compute unit or SM --===//
#include "target/Occupancy.h"

#include <algorithm>

namespace hocket {

static int upTo(int value, int step) { return (value + step - 1) / step * step; }

Occupancy occupancyOf(const TargetInfo &target, int warps, int registers, int sharedBytes) {
  const UnitLimits &unit = target.unit;
  // Number of warps on the SIMD that has the most warps of a block: the warps are assigned round-robin to the SIMDs.
  const int perSimd = std::max(1, upTo(warps, unit.simds) / unit.simds);
  const int registersOfWarp = std::max(unit.registerStep, upTo(registers, unit.registerStep));
  const int sharedOfBlock = upTo(sharedBytes + unit.sharedReserved, unit.sharedStep);
  auto blocksOf = [&](int warpsPerSimd) { return warpsPerSimd * unit.simds / std::max(1, warps); };

  struct Limit {
    OccupancyBound bound;
    int blocks;
  };
  const Limit limits[] = {
      {OccupancyBound::Registers, blocksOf(unit.registers / registersOfWarp)},
      {OccupancyBound::SharedMemory, sharedOfBlock ? unit.sharedBytes / sharedOfBlock : unit.blocks},
      {OccupancyBound::Warps, blocksOf(unit.warpsPerSimd)},
      {OccupancyBound::Blocks, unit.blocks},
  };
  const Limit &least = *std::ranges::min_element(limits, {}, &Limit::blocks);
  const int warpsPerSimd = std::min(least.blocks * warps / unit.simds, unit.warpsPerSimd);
  return {least.blocks, least.blocks == 1 ? perSimd : warpsPerSimd, least.bound};
}

} // namespace hocket
