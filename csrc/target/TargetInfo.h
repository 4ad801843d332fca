//===- TargetInfo.h - What the compiler knows about each GPU architecture -------===//
//
// Facts only, as data. A pass asks for a fact ("how many lanes has a warp?"), never for an architecture's name.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_TARGETINFO_H
#define HOCKET_TARGET_TARGETINFO_H

#include "layout/SharedBanks.h"
#include "target/AmdMemory.h"
#include "target/CostTable.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace hocket {

enum class Vendor : uint8_t { Nvidia, Amd };

struct TargetInfo {
  /// The name users write and `hk.target` holds: "sm_90a", "gfx950".
  std::string_view name;
  Vendor vendor;
  /// The marketing family, for messages: "Hopper", "CDNA4".
  std::string_view family;
  int warpSize;
  int maxThreadsPerBlock;
  /// Largest shared memory of one block, after the opt-in that CUDA asks for beyond 48 KiB.
  int maxSharedBytes;
  /// Shared memory banks of 4 bytes each, as loads see them.
  int sharedBanks;
  /// Which lanes shared memory serves at once (SharedPhases.cpp).
  const SharedBanks *sharedPhases;
  /// Widest global or shared access of one lane.
  int maxAccessBits;
  /// Conversion f32 -> bf16 rounds to nearest even in one instruction.
  bool hasBf16Convert;
  /// Barriers of a block, each of which some of its warps may use among themselves. 1: one for all warps.
  int namedBarriers = 1;
  /// Registers of a block that its warps may pass on to each other (setmaxnreg); 0 where each keeps what it has.
  int movableRegisters = 0;
  /// Blocks of a cluster, at most (above 8 the launch must allow it); 1 where blocks do not form clusters.
  int maxClusterBlocks = 1;
  /// Bits of the lane index over which one instruction swaps two registers between lanes.
  unsigned laneSwapMasks = 0;
  /// Null on GPUs of other vendors.
  const AmdMemory *amdMemory = nullptr;
  /// For the emulator's virtual clock, and for the model of a schedule.
  const CostTable *costs = nullptr;

  int maxWarps() const { return maxThreadsPerBlock / warpSize; }
};

/// The target called `name`, or null.
const TargetInfo *findTarget(std::string_view name);
std::span<const TargetInfo> allTargets();

} // namespace hocket

#endif
