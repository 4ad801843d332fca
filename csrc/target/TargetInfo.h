//===- TargetInfo.h - Facts about each GPU architecture -------------------------===//
//
// All facts are data. A pass queries a fact ("lanes per warp"), never an architecture's name.
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
  /// Name that users write and the attribute `hk.target` holds: "sm_90a", "gfx950".
  std::string_view name;
  Vendor vendor;
  /// Marketing name of the architecture, for messages: "Hopper", "CDNA4".
  std::string_view family;
  int warpSize;
  int maxThreadsPerBlock;
  /// Largest shared memory of one block; on NVIDIA, more than 48 KiB need CUDA's opt-in.
  int maxSharedBytes;
  /// Number of shared memory banks of 4 bytes, for loads.
  int sharedBanks;
  /// Sets of lanes that shared memory serves in the same phase (SharedPhases.cpp).
  const SharedBanks *sharedPhases;
  /// Width of the widest global or shared memory access of one lane.
  int maxAccessBits;
  /// True if one instruction converts f32 to bf16 with rounding to nearest even.
  bool hasBf16Convert;
  /// Number of named barriers of a block, each of which a subset of its warps can use; 1 if there is only the block
  /// barrier.
  int namedBarriers = 1;
  /// Registers of a block that its warps can transfer between each other (setmaxnreg); 0 if register counts are fixed.
  int movableRegisters = 0;
  /// Largest number of blocks in a cluster (more than 8 must be allowed at launch); 1 if there are no clusters.
  int maxClusterBlocks = 1;
  /// Bits of the lane index across which one instruction swaps two registers between lanes.
  unsigned laneSwapMasks = 0;
  /// Null for GPUs of other vendors.
  const AmdMemory *amdMemory = nullptr;
  /// Parameters of the emulator's virtual clock and of the schedule model.
  const CostTable *costs = nullptr;

  int maxWarps() const { return maxThreadsPerBlock / warpSize; }
};

/// Returns the target called `name`, or null.
const TargetInfo *findTarget(std::string_view name);
std::span<const TargetInfo> allTargets();

} // namespace hocket

#endif
