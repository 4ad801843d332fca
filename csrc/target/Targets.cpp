//===- Targets.cpp - The table of targets -----------------------------------------===//
//
// NVIDIA: CUDA C++ Programming Guide, "Compute Capabilities". Registers are allocated for each warp of 32 lanes, in
// units of 256 registers. AMD: "AMD Instinct MI300" and "MI350" ISA guides, chapter "LDS": 64 KiB LDS on CDNA3, 160 KiB
// on CDNA4. Limits of compute units: LLVM 22, llvm/lib/Target/AMDGPU/Utils/AMDGPUBaseInfo.cpp and AMDGPU.td; each block
// of several warps has one barrier. Number of dies: AMD CDNA 3 and CDNA 4 white papers; an MI300X or MI355X has 8
// accelerator complex dies (XCD) with 4 MB of L2 each. The two halves of NVIDIA's L2 count as one cache.
//
// The emitted PTX has version 8.4. PTX 8.4 has every instruction of sm_90a that the lowerings emit; the newest of these
// instructions is mma.sync of 8-bit floats. All PTX assemblers that Hocket uses support PTX 8.4: those of NVIDIA
// drivers since 550, and the nvJitLink of each PyTorch that is built for CUDA 12.4 or later. Later PTX versions add
// only instructions for Blackwell, and not all toolchains of CUDA 12 support them.
//
//===------------------------------------------------------------------------------===//
#include "layout/WarpSizes.h"
#include "target/SharedPhases.h"
#include "target/TargetInfo.h"

namespace hocket {

static constexpr std::string_view kAmpereGpus[] = {"a100", "sm80", "ampere", "80"};
static constexpr std::string_view kHopperGpus[] = {"h100",  "h200",   "h800", "gh200", "sm90",
                                                   "sm90a", "hopper", "90",   "cuda",  "nvidia"};
static constexpr std::string_view kCdna3Gpus[] = {"mi300", "mi300x", "mi300a", "mi325x", "cdna3", "hip", "amd", "rocm"};
static constexpr std::string_view kCdna4Gpus[] = {"mi350x", "mi355x", "cdna4"};

static constexpr TargetInfo kTargets[] = {
    {.name = "sm_80",
     .vendor = Vendor::Nvidia,
     .family = "Ampere",
     .gpus = kAmpereGpus,
     .warpSize = kNvidiaWarpSize,
     .maxThreadsPerBlock = 1024,
     .maxSharedBytes = 163 * 1024,
     .sharedBanks = 32,
     .sharedPhases = &kAmpereSharedBanks,
     .maxAccessBits = 128,
     .unit = {.registers = 512,
              .registerStep = 8,
              .warpsPerSimd = 16,
              .blocks = 32,
              .sharedBytes = 164 * 1024,
              .sharedStep = 128,
              .sharedReserved = 1024},
     .namedBarriers = 16,
     .barriersOrderMemory = true,
     .hasBf16Convert = true,
     .hasMmaSync = true,
     .ptxVersion = 84,
     .computeCapability = 80,
     .costs = &kAmpereCosts},
    {.name = "sm_90a",
     .vendor = Vendor::Nvidia,
     .family = "Hopper",
     .gpus = kHopperGpus,
     .warpSize = kNvidiaWarpSize,
     .maxThreadsPerBlock = 1024,
     .maxSharedBytes = 227 * 1024,
     .sharedBanks = 32,
     .sharedPhases = &kHopperSharedBanks,
     .maxAccessBits = 128,
     .unit = {.registers = 512,
              .registerStep = 8,
              .warpsPerSimd = 16,
              .blocks = 32,
              .sharedBytes = 228 * 1024,
              .sharedStep = 128,
              .sharedReserved = 1024},
     .namedBarriers = 16,
     .barriersOrderMemory = true,
     .movableRegisters = 65536,
     .maxClusterBlocks = 16,
     .hasDependentLaunch = true,
     .hasBf16Convert = true,
     .hasMmaSync = true,
     .hasMmaFloat8 = true,
     .hasWgmma = true,
     .hasTma = true,
     .hasTransactionMbarriers = true,
     .ptxVersion = 84,
     .computeCapability = 90,
     .isArchitectureSpecific = true,
     .costs = &kHopperCosts},
    {.name = "gfx942",
     .vendor = Vendor::Amd,
     .family = "CDNA3",
     .gpus = kCdna3Gpus,
     .warpSize = kAmdWaveSize,
     .maxThreadsPerBlock = 1024,
     .maxSharedBytes = 64 * 1024,
     .sharedBanks = 32,
     .sharedPhases = &kCdna3SharedBanks,
     .maxAccessBits = 128,
     .cacheDies = 8,
     .unit = {.registers = 512, // sum of vector and accumulation registers
              .registerStep = 8,
              .warpsPerSimd = 8,
              .blocks = 16,
              .sharedBytes = 64 * 1024,
              .sharedStep = 512,
              .sharedReserved = 0},
     .barriersSkipEndedWarps = true,
     .hasWarpPriorities = true,
     .steadyClockNs = 10, // the counter of s_memrealtime runs at 100 MHz
     .hasBf16Convert = false,
     .hasExtremaOfThree = true, // v_max3_f32, v_min3_i32; ISA guide, "VOP3"
     .exchangesThroughShared = true,
     .selectsMaskedLoads = true,
     .mfmaVersion = 3,
     .amdMemory = &kCdna3Memory,
     .costs = &kCdna3Costs},
    {.name = "gfx950",
     .vendor = Vendor::Amd,
     .family = "CDNA4",
     .gpus = kCdna4Gpus,
     .warpSize = kAmdWaveSize,
     .maxThreadsPerBlock = 1024,
     .maxSharedBytes = 160 * 1024,
     .sharedBanks = 64,
     .sharedPhases = &kCdna4SharedBanks,
     .maxAccessBits = 128,
     .cacheDies = 8,
     .unit = {.registers = 512,
              .registerStep = 8,
              .warpsPerSimd = 8,
              .blocks = 16,
              .sharedBytes = 160 * 1024,
              .sharedStep = 1280,
              .sharedReserved = 0},
     .barriersSkipEndedWarps = true,
     .hasWarpPriorities = true,
     .steadyClockNs = 10,
     .hasBf16Convert = true,
     .hasExtremaOfThree = true,
     .laneSwapMasks = 16 | 32,
     .exchangesThroughShared = true,
     .selectsMaskedLoads = true,
     .mfmaVersion = 4,
     .amdMemory = &kCdna4Memory,
     .costs = &kCdna4Costs},
};

std::span<const TargetInfo> allTargets() { return kTargets; }

} // namespace hocket
