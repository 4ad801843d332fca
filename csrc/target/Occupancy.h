//===- Occupancy.h - How many warps fit on a GPU's units ----------------------------===//
//
// What a block takes of a unit (AMD: compute unit, NVIDIA: SM) decides how many are there at once, and so how many
// warps each SIMD unit has to choose from. Registers are handed out to warps, shared memory to blocks, both in steps.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_OCCUPANCY_H
#define HOCKET_TARGET_OCCUPANCY_H

#include "target/TargetInfo.h"

namespace hocket {

/// Of one unit.
struct UnitLimits {
  int simds = 4;
  /// Vector registers of 32 bits that a SIMD unit has per lane of a warp, and in which steps a warp gets them.
  int registers, registerStep;
  int warpsPerSimd;
  int blocks;
  /// Bytes of shared memory, in which steps a block gets it, and what each block takes besides.
  int sharedBytes, sharedStep, sharedReserved;
};

/// What keeps more blocks away.
enum class OccupancyBound : uint8_t { Registers, SharedMemory, Warps, Blocks };

struct Occupancy {
  /// On a unit at once; 0 where not even one fits.
  int blocks = 0;
  int warpsPerSimd = 0;
  OccupancyBound bound = OccupancyBound::Blocks;
};

/// Dies with an L2 cache each, to which the blocks of a launch are dealt in turn; 1 where one cache serves all units.
int cacheDiesOf(const TargetInfo &target);

const UnitLimits &unitLimitsOf(const TargetInfo &target);

/// Of blocks of `warps` warps with `registers` per lane (on AMD vector and accumulation registers together) and
/// `sharedBytes` of shared memory. Of bounds that are equal the first of OccupancyBound counts.
Occupancy occupancyOf(const TargetInfo &target, int warps, int registers, int sharedBytes);

} // namespace hocket

#endif
