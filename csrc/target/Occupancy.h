//===- Occupancy.h - Occupancy: resident blocks and warps per compute unit or SM ----===//
//
// The resources that a block uses determine the number of blocks that are resident on a unit (AMD: compute unit,
// NVIDIA: SM), and the number of warps per SIMD. Registers are allocated for each warp, and shared memory is allocated
// for each block. Both sizes are rounded up to a granularity of the target.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_OCCUPANCY_H
#define HOCKET_TARGET_OCCUPANCY_H

#include "target/TargetInfo.h"

namespace hocket {

/// The resource that limits occupancy.
enum class OccupancyBound : uint8_t { Registers, SharedMemory, Warps, Blocks };

struct Occupancy {
  /// Number of resident blocks per unit; 0 if not even one block fits.
  int blocks = 0;
  int warpsPerSimd = 0;
  OccupancyBound bound = OccupancyBound::Blocks;
};

/// Returns the occupancy for blocks of `warps` warps with `registers` registers per lane (on AMD, vector and
/// accumulation registers together) and `sharedBytes` bytes of shared memory. If several resources limit occupancy
/// equally, `bound` is the one that comes first in OccupancyBound.
Occupancy occupancyOf(const TargetInfo &target, int warps, int registers, int sharedBytes);

} // namespace hocket

#endif
