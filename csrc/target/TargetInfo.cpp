//===- TargetInfo.cpp - Table of targets ------------------------------------------===//
//
// NVIDIA: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
// AMD: "AMD Instinct MI300" and "MI350" ISA guides, chapter "LDS"; 64 KiB LDS on CDNA3, 160 KiB on CDNA4.
//
//===------------------------------------------------------------------------------===//
#include "target/TargetInfo.h"

#include "target/SharedPhases.h"

namespace hocket {

static constexpr TargetInfo kTargets[] = {
    {.name = "sm_80",
     .vendor = Vendor::Nvidia,
     .family = "Ampere",
     .warpSize = 32,
     .maxThreadsPerBlock = 1024,
     .maxSharedBytes = 163 * 1024,
     .sharedBanks = 32,
     .sharedPhases = &kAmpereSharedBanks,
     .maxAccessBits = 128,
     .hasBf16Convert = true,
     .namedBarriers = 16,
     .costs = &kAmpereCosts},
    {.name = "sm_90a",
     .vendor = Vendor::Nvidia,
     .family = "Hopper",
     .warpSize = 32,
     .maxThreadsPerBlock = 1024,
     .maxSharedBytes = 227 * 1024,
     .sharedBanks = 32,
     .sharedPhases = &kHopperSharedBanks,
     .maxAccessBits = 128,
     .hasBf16Convert = true,
     .namedBarriers = 16,
     .movableRegisters = 65536,
     .maxClusterBlocks = 16,
     .costs = &kHopperCosts},
    {.name = "gfx942",
     .vendor = Vendor::Amd,
     .family = "CDNA3",
     .warpSize = 64,
     .maxThreadsPerBlock = 1024,
     .maxSharedBytes = 64 * 1024,
     .sharedBanks = 32,
     .sharedPhases = &kCdna3SharedBanks,
     .maxAccessBits = 128,
     .hasBf16Convert = false,
     .amdMemory = &kCdna3Memory,
     .costs = &kCdna3Costs},
    {.name = "gfx950",
     .vendor = Vendor::Amd,
     .family = "CDNA4",
     .warpSize = 64,
     .maxThreadsPerBlock = 1024,
     .maxSharedBytes = 160 * 1024,
     .sharedBanks = 64,
     .sharedPhases = &kCdna4SharedBanks,
     .maxAccessBits = 128,
     .hasBf16Convert = true,
     .laneSwapMasks = 16 | 32,
     .amdMemory = &kCdna4Memory,
     .costs = &kCdna4Costs},
};

const TargetInfo *findTarget(std::string_view name) {
  for (const TargetInfo &target : kTargets)
    if (target.name == name)
      return &target;
  return nullptr;
}

std::span<const TargetInfo> allTargets() { return kTargets; }

} // namespace hocket
