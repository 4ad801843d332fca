//===- Occupancy.h - Occupancy: resident blocks and warps per compute unit or SM ----===//
//
// The resources of a block determine how many blocks are resident on a unit (AMD: compute unit, NVIDIA: SM), and thus
// how many warps each SIMD can choose from. Registers are allocated per warp, shared memory per block, both with a
// granularity.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_OCCUPANCY_H
#define HOCKET_TARGET_OCCUPANCY_H

#include "target/TargetInfo.h"

namespace hocket {

/// Limits of one unit.
struct UnitLimits {
  int simds = 4;
  /// 32-bit vector registers that a SIMD has per lane of a warp, and the granularity of their allocation.
  int registers, registerStep;
  int warpsPerSimd;
  int blocks;
  /// Bytes of shared memory, the granularity of their allocation, and the bytes that the system reserves per block.
  int sharedBytes, sharedStep, sharedReserved;
};

/// The resource that limits occupancy.
enum class OccupancyBound : uint8_t { Registers, SharedMemory, Warps, Blocks };

struct Occupancy {
  /// Resident blocks per unit; 0 if not even one fits.
  int blocks = 0;
  int warpsPerSimd = 0;
  OccupancyBound bound = OccupancyBound::Blocks;
};

/// Returns the number of dies with an L2 cache each, to which the blocks of a launch are assigned round-robin; 1 if one
/// cache serves all units.
int cacheDiesOf(const TargetInfo &target);

const UnitLimits &unitLimitsOf(const TargetInfo &target);

/// Returns the occupancy for blocks of `warps` warps with `registers` per lane (on AMD, vector and accumulation
/// registers together) and `sharedBytes` of shared memory. If several limits are equal, the first of OccupancyBound is
/// reported.
Occupancy occupancyOf(const TargetInfo &target, int warps, int registers, int sharedBytes);

} // namespace hocket

#endif
