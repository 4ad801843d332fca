//===- TargetInfo.h - Facts about each GPU architecture -------------------------===//
//
// All facts are data: code tests a field ("lanes per warp"), never an architecture's name, family or vendor.
// Targets.cpp contains the table of all targets; docs/adding_a_target.md describes how to add a row.
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

/// Limits of one unit (AMD: compute unit, NVIDIA: SM), which determine occupancy.
struct UnitLimits {
  int simds = 4;
  /// Number of 32-bit vector registers that a SIMD has for each lane of a warp, and the granularity of the allocation
  /// of registers.
  int registers, registerStep;
  int warpsPerSimd;
  int blocks;
  /// In bytes: size of shared memory, granularity of the allocation of shared memory, and shared memory that the system
  /// reserves for each block.
  int sharedBytes, sharedStep, sharedReserved;
};

struct TargetInfo {
  // Names ---------------------------------------------------------------------------------------------------------

  /// Name of the target for users and in the attribute `hk.target`, such as "sm_90a" or "gfx950".
  std::string_view name;
  /// The vendor, which selects the back end (pipeline/Backend.h) and the facts of Vendors.h.
  Vendor vendor;
  /// Marketing name of the architecture, for messages: "Hopper", "CDNA4".
  std::string_view family;
  /// Names of GPUs with this target, such as "h100", in lower case and without punctuation, for hints in messages.
  std::span<const std::string_view> gpus;

  // Sizes ---------------------------------------------------------------------------------------------------------

  int warpSize;
  int maxThreadsPerBlock;
  /// Largest shared memory of one block; on NVIDIA, more than 48 KiB need CUDA's opt-in.
  int maxSharedBytes;
  /// Number of shared memory banks, each 4 bytes wide, that loads use.
  int sharedBanks;
  /// Sets of lanes that shared memory serves in the same phase (SharedPhases.cpp).
  const SharedBanks *sharedPhases;
  /// Width in bits of the widest global or shared memory access of one lane.
  int maxAccessBits;
  /// Number of dies of the GPU that have their own L2 cache; 1 if one L2 cache serves all units. The blocks of a launch
  /// are assigned round-robin to these dies.
  int cacheDies = 1;
  UnitLimits unit;

  // Barriers and warps --------------------------------------------------------------------------------------------

  /// Number of named barriers of a block; 1 if the target has only the block barrier. Any subset of a block's warps can
  /// use a named barrier.
  int namedBarriers = 1;
  /// True if a barrier orders the memory accesses of the participating warps. False if an additional fence is needed to
  /// order these accesses.
  bool barriersOrderMemory = false;
  /// True if the block barrier does not wait for warps that have ended the kernel.
  bool barriersSkipEndedWarps = false;
  /// True if a warp can set the priority with which its instructions are issued.
  bool hasWarpPriorities = false;
  /// Number of registers of a block that warps can transfer to each other by setmaxnreg; 0 if the register count of a
  /// warp is fixed.
  int movableRegisters = 0;
  /// Largest number of blocks in a cluster; 1 if the target has no clusters. A launch with more than 8 blocks per
  /// cluster must explicitly allow such clusters.
  int maxClusterBlocks = 1;
  /// True if a kernel can begin before the preceding kernel has ended (programmatic dependent launch).
  bool hasDependentLaunch = false;
  /// Nanoseconds per tick of the steady clock, which all units of the GPU share.
  int steadyClockNs = 1;

  // Instructions --------------------------------------------------------------------------------------------------

  /// True if one instruction converts f32 to bf16 with rounding to nearest even.
  bool hasBf16Convert;
  /// True if one instruction computes the maximum or minimum of three numbers.
  bool hasExtremaOfThree = false;
  /// Set of lane index bits, as a mask. A swap instruction exchanges two registers between lanes that differ in such a
  /// bit.
  unsigned laneSwapMasks = 0;
  /// True if shared memory moves the values that lanes exchange, except for swaps (`laneSwapMasks`).
  bool exchangesThroughShared = false;
  /// True if an instruction after a load replaces the elements that are masked off. False if a load leaves their
  /// registers unchanged.
  bool selectsMaskedLoads = false;
  /// `hasMmaSync` is true if the target has mma.sync (MmaInstructions.h); `hasMmaFloat8` is true if mma.sync supports
  /// 8-bit floats.
  bool hasMmaSync = false, hasMmaFloat8 = false;
  bool hasWgmma = false;
  /// Generation of the matrix cores, which is the `version` of an MFMA layout (MatrixInstructions.h); 0 if the target
  /// has no MFMA.
  int mfmaVersion = 0;
  /// True if the target has TMA: bulk copies of tiles given by tensor descriptors.
  bool hasTma = false;
  /// True if mbarriers count the bytes of asynchronous copies (tx-count), if one instruction can arrive several times,
  /// and if waiting threads can be suspended.
  bool hasTransactionMbarriers = false;
  /// Facts about memory access on AMD GPUs; null for GPUs of other vendors.
  const AmdMemory *amdMemory = nullptr;

  // Code generation and models ------------------------------------------------------------------------------------

  /// Version of the PTX ISA for which code is emitted, times 10; 0 if the target has no PTX.
  int ptxVersion = 0;
  /// CUDA's compute capability, times 10; 0 if the target is not an NVIDIA GPU.
  int computeCapability = 0;
  /// True if code for this target runs only on GPUs of exactly this compute capability, as for "sm_90a". False if GPUs
  /// of later compute capabilities also run the code.
  bool isArchitectureSpecific = false;
  /// Parameters of the emulator's virtual clock and of the schedule model.
  const CostTable *costs = nullptr;

  int maxWarps() const { return maxThreadsPerBlock / warpSize; }
};

/// Returns the target called `name`; null if there is no such target.
const TargetInfo *findTarget(std::string_view name);
std::span<const TargetInfo> allTargets();

/// Returns the target whose code runs on a GPU of this compute capability; null if there is no such target.
const TargetInfo *targetOfCapability(int major, int minor);
} // namespace hocket

#endif
