//===- CostTable.cpp - Latencies and throughputs of GPU units, for timelines ---------===//
//
//                       Ampere Hopper CDNA3 CDNA4
//   vector                   2      1     4     4   lanes of a warp / lanes of a VALU [1] [2]
//   transcendental           8      8    16     8   4 lanes a clock: a quarter of the rate [1] [3]; CDNA4: half [7]
//   division                24     16    48    40   about ten instructions, one of them transcendental
//   issue                    1      1     4     4   a CU serves each of its SIMDs every fourth clock [2]
//   sharedLatency           29     29    64    64   [4]; CDNA: assumed; on CDNA4 50 to 70 from issue to result [8]
//   memoryLatency          500    500  1000  1000   [4], between L2 hit and miss; CDNA4: loads of a large GEMM, most
//                                                   of which hit L2 [9]; CDNA3: assumed
//   memoryBytesPerClock     64     64    64    64   a CU's part of L2 bandwidth: 16 channels of 128 B, 32 to 38 CUs [5]
//   queue                   64     64    64    64   assumed: four full-width instructions of a warp
//   barrier                 16     16     8     8   assumed
//   matrixPass               8      4     4     4   NVIDIA: an mma.sync, from the datasheet's peak; CDNA: [6]
//   matrixLatency           24     24    16    16   CDNA: 4 more passes [3]
//   matrixRead               -      -     8     8   [7]; CDNA3: assumed
//   matrixScales             -      -     -     4   [10]
//   packedWait               -      -    12    12   [7]; CDNA3: assumed
//   sharedQueue              -      -     4     4   8 for each pair of SIMDs [8]; CDNA3: assumed
//   lineBytes                -      -   128   128   [5]
//   linesInFlight            -      -   256   256   32 KB of vector L1 cache [5], where a load allocates its lines [9]
//   memoryQueue              -      -    12    12   [9]; CDNA3: assumed
//   branch                   -      -    16    16   assumed: four times the issue time of other instructions
//
// A wgmma with N columns costs as much as N / 8 mma.syncs: the tensor core of each warp computes 16 rows at 512 f16
// multiply-adds per clock, which is the datasheet's peak. Bulk copies are modeled with L2's bandwidth and the latency
// of loads, without the additional latency of TMA.
//
// The numbers of passes of matrix instructions are from LLVM 22's scheduling model (SISchedule.td; llvm-mca prints them
// for each instruction). The numbers of passes agree with the ISA guides and with AMD's published peak throughputs. For
// example, a 32x32x8 f16 MFMA performs 16384 operations in 8 passes of 4 clocks, which is 512 operations per clock on
// each of 4 matrix cores, or 2048 operations per clock on a compute unit of CDNA3. For f8f6f4 instructions with an
// 8-bit operand, LLVM's model has half of the passes of the CDNA4 ISA guide; kMatrixCosts follows the ISA guide.
//
// [1] CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".
// [2] ROCm Compute Profiler, "Pipeline descriptions": a wave of 64 on 16 lanes; the four SIMDs issue round-robin.
// [3] LLVM 22, llvm/lib/Target/AMDGPU/SISchedule.td.
// [4] Luo et al., "Dissecting the NVIDIA Hopper Architecture through Microbenchmarking" (arXiv 2501.12084).
// [5] AMD CDNA 3 white paper, "memory hierarchy".
// [6] "AMD Instinct MI300" and "CDNA4" ISA guides, "Matrix Arithmetic Instructions": passes of 4 clocks.
// [7] AMD, github.com/ROCm/gfx950-gluon-tutorials, kernels/attention: cost of vector instructions beside a matrix
//     instruction, from instruction traces of an MI355X.
// [8] github.com/ROCm/gfx950-gluon-tutorials, docs/lds_throughput.md.
// [9] github.com/ROCm/gfx950-gluon-tutorials, docs/tcp_bound_tile_model.md.
// [10] github.com/ROCm/gfx950-gluon-tutorials, kernels/gemm/inter_wave/a4w4/v1_combineBsc.
//
//===------------------------------------------------------------------------------===//
#include "target/CostTable.h"

#include "target/MatrixInstructions.h"

namespace hocket {

constexpr CostTable kAmpereCosts = {.vector = 2,
                                    .transcendental = 8,
                                    .division = 24,
                                    .issue = 1,
                                    .sharedLatency = 29,
                                    .memoryLatency = 500,
                                    .memoryBytesPerClock = 64,
                                    .queue = 64,
                                    .barrier = 16,
                                    .matrixPass = 8, // datasheet: 1024 f16 multiply-adds per clock and SM
                                    .matrixLatency = 24};

constexpr CostTable kHopperCosts = [] {
  CostTable costs = kAmpereCosts;
  costs.vector = 1;
  costs.division = 16;
  costs.matrixPass = 4;
  return costs;
}();

constexpr CostTable kCdna3Costs = {.vector = 4,
                                   .transcendental = 16,
                                   .division = 48,
                                   .issue = 4,
                                   .sharedLatency = 64,
                                   .memoryLatency = 1000,
                                   .memoryBytesPerClock = 64,
                                   .queue = 64,
                                   .barrier = 8,
                                   .matrixPass = 4,
                                   .matrixLatency = 16,
                                   .matrixRead = 8,
                                   .packedWait = 12,
                                   .sharedQueue = 4,
                                   .lineBytes = 128,
                                   .linesInFlight = 256,
                                   .memoryQueue = 12,
                                   .branch = 16};

constexpr CostTable kCdna4Costs = [] {
  CostTable costs = kCdna3Costs;
  costs.transcendental = 8;
  costs.division = 40;
  costs.matrixScales = 4;
  return costs;
}();

namespace {
struct MatrixCost {
  int m, blocks;
  MatrixRate rate;
  int cdna3, cdna4; ///< number of passes on CDNA3 and on CDNA4
};
} // namespace

static constexpr MatrixCost kMatrixCosts[] = {
    // m  blocks  rate     CDNA3  CDNA4
    {32, 1, MatrixRate::Narrow, 8, 8}, // also for CDNA4's instructions with twice this extent along K
    {16, 1, MatrixRate::Narrow, 4, 4}, {32, 2, MatrixRate::Narrow, 16, 16}, {16, 4, MatrixRate::Narrow, 8, 8},
    {4, 16, MatrixRate::Narrow, 2, 2}, {32, 1, MatrixRate::F32, 16, 16},    {16, 1, MatrixRate::F32, 8, 8},
    {32, 2, MatrixRate::F32, 16, 16},  {16, 4, MatrixRate::F32, 8, 8},      {4, 16, MatrixRate::F32, 2, 2},
    {16, 1, MatrixRate::F64, 8, 16},   {4, 4, MatrixRate::F64, 4, 4},       {32, 1, MatrixRate::Scaled, 0, 8},
    {16, 1, MatrixRate::Scaled, 0, 4}, {32, 1, MatrixRate::Scaled8, 0, 16}, {16, 1, MatrixRate::Scaled8, 0, 8},
};

int matrixPasses(const TargetInfo &target, int m, int blocks, MatrixRate rate) {
  int version = target.mfmaVersion;
  for (const MatrixCost &cost : kMatrixCosts)
    if (cost.m == m && cost.blocks == blocks && cost.rate == rate)
      return version == 3 ? cost.cdna3 : version == 4 ? cost.cdna4 : 0;
  return 0;
}

int sharedClocks(const TargetInfo &target, SharedAccess access, int bytesPerLane) {
  int bytes = int(std::bit_ceil(unsigned(std::clamp(bytesPerLane, 1, 16))));
  return std::max(1, target.warpSize >> target.sharedPhases->phasesOf(access, bytes).lanesLog2());
}

int memoryClocks(const TargetInfo &target, int bytesPerLane) {
  return std::max(1, target.warpSize * bytesPerLane / target.costs->memoryBytesPerClock);
}

} // namespace hocket
