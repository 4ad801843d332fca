//===- Occupancy.cpp - Occupancy: resident blocks and warps per compute unit or SM --===//
//
//                           sm_80    sm_90a   gfx942   gfx950
//   registers per lane        512       512      512      512   vector and accumulation registers share them [1] [2]
//   granularity                 8         8        8        8
//   warps per SIMD             16        16        8        8   [1] [2]
//   blocks per unit            32        32       16       16   AMD: blocks of several warps have a barrier each [2]
//   shared memory, bytes   167936    233472    65536   163840
//   granularity               128       128      512     1280   [1] [2]
//   reserved per block       1024      1024        0        0   [1]
//   dies with an L2 each        1         1        8        8   [3]; NVIDIA's two halves count as one
//
// [1] CUDA C++ Programming Guide, "Compute Capabilities"; a warp of 32 lanes gets registers in steps of 256.
// [2] LLVM 22, llvm/lib/Target/AMDGPU/Utils/AMDGPUBaseInfo.cpp and AMDGPU.td.
//
// [3] AMD CDNA 3 and CDNA 4 white papers: 8 accelerator complex dies (XCD) in an MI300X or MI355X, 4 MB of L2 in each.
//
//===------------------------------------------------------------------------------===//
#include "target/Occupancy.h"

#include <algorithm>
#include <cassert>

namespace hocket {

namespace {
struct NamedLimits {
  std::string_view target;
  UnitLimits limits;
};
} // namespace

static constexpr NamedLimits kLimits[] = {
    {"sm_80",
     {.registers = 512,
      .registerStep = 8,
      .warpsPerSimd = 16,
      .blocks = 32,
      .sharedBytes = 167936,
      .sharedStep = 128,
      .sharedReserved = 1024}},
    {"sm_90a",
     {.registers = 512,
      .registerStep = 8,
      .warpsPerSimd = 16,
      .blocks = 32,
      .sharedBytes = 233472,
      .sharedStep = 128,
      .sharedReserved = 1024}},
    {"gfx942",
     {.registers = 512,
      .registerStep = 8,
      .warpsPerSimd = 8,
      .blocks = 16,
      .sharedBytes = 65536,
      .sharedStep = 512,
      .sharedReserved = 0}},
    {"gfx950",
     {.registers = 512,
      .registerStep = 8,
      .warpsPerSimd = 8,
      .blocks = 16,
      .sharedBytes = 163840,
      .sharedStep = 1280,
      .sharedReserved = 0}},
};

const UnitLimits &unitLimitsOf(const TargetInfo &target) {
  const auto *found = std::ranges::find(kLimits, target.name, &NamedLimits::target);
  assert(found != std::end(kLimits) && "a target without limits");
  return found->limits;
}

int cacheDiesOf(const TargetInfo &target) { return target.vendor == Vendor::Amd ? 8 : 1; }

static int upTo(int value, int step) { return (value + step - 1) / step * step; }

Occupancy occupancyOf(const TargetInfo &target, int warps, int registers, int sharedBytes) {
  const UnitLimits &unit = unitLimitsOf(target);
  // The warps of a block are assigned round-robin to the SIMDs; the SIMD with the most warps limits occupancy.
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
