//===- CostTable.cpp - How long a GPU's units take, for pictures of time -------------===//
//
//                       Ampere Hopper CDNA3 CDNA4
//   vector arithmetic        2      1     4     4   lanes of a warp / lanes of a vector unit [1] [2]
//   transcendental           8      8    16     8   4 lanes a clock: a quarter of the rate [1] [3]; CDNA4: half [7]
//   division                24     16    48    40   about ten instructions with one transcendental
//   issue                    1      1     4     4   a CU serves each of its SIMD units every fourth clock [2]
//   shared latency          29     29    64    64   [4]; CDNA: assumed; on CDNA4 50 to 70 from issue to a result [8]
//   memory latency         500    500  1000  1000   [4], between L2 and memory; CDNA4: of a large product's loads, most
//                                                   of which hit L2 [9]; CDNA3: assumed
//   memory bytes / clock    64     64    64    64   L2's width shared out: 16 channels of 128 B among 32 to 38 CUs [5]
//   queue                   64     64    64    64   assumed: four instructions of a warp at full width
//   barrier                 16     16     8     8   assumed
//   matrix pass              -      -     4     4   [6]
//   matrix latency           -      -    16    16   4 more passes [3]
//   matrix read              -      -     8     8   [7]; CDNA3: assumed
//   matrix scales            -      -     -     4   [10]
//   packed wait              -      -    12    12   [7]; CDNA3: assumed
//   shared queue             -      -     4     4   8 of each pair of SIMD units [8]; CDNA3: assumed
//   line bytes               -      -   128   128   [5]
//   lines in flight          -      -   256   256   32 KB of vector cache [5], in which a load needs room to begin [9]
//   memory queue             -      -    12    12   [9]; CDNA3: assumed
//   branch                   -      -    16    16   assumed: four times what another instruction takes to issue
//
// A wgmma takes what as many mma.sync of 8 columns take: a warp's 16 rows at 512 multiply-adds of f16 a clock on its
// matrix core, the peak of the datasheet. Bulk copies move at L2's width, and arrive after the latency of loads; what
// TMA adds to that is not known here.
//
// Passes of matrix instructions: LLVM 22's model of the chips (SISchedule.td, printed by llvm-mca for each
// instruction), which agrees with the ISA guides and the peaks that AMD publishes: 32x32x8 of f16 makes 16384
// operations in 8 passes of 4 clocks, 512 a clock, on each of 4 matrix cores, 2048 a clock per CU of CDNA3. LLVM counts
// half of f8f6f4's passes where an operand has 8 bits; here the ISA guide of CDNA4 counts.
//
// [1] CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".
// [2] ROCm Compute Profiler, "Pipeline descriptions": a wave of 64 on 16 lanes; four SIMDs take turns to issue.
// [3] LLVM 22, llvm/lib/Target/AMDGPU/SISchedule.td.
// [4] Luo et al., "Dissecting the NVIDIA Hopper Architecture through Microbenchmarking" (arXiv 2501.12084).
// [5] AMD CDNA 3 white paper, "memory hierarchy".
// [6] "AMD Instinct MI300" and "CDNA4" ISA guides, "Matrix Arithmetic Instructions": passes of 4 clocks.
// [7] AMD, github.com/ROCm/gfx950-gluon-tutorials, kernels/attention: what vector instructions take beside a matrix
//     instruction, from instruction traces of an MI355X.
// [8] The same, docs/lds_throughput.md.
// [9] The same, docs/tcp_bound_tile_model.md.
// [10] The same, kernels/gemm/inter_wave/a4w4/v1_combineBsc.
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
                                    .matrixPass = 8, // 1024 multiply-adds of f16 per clock and SM: by datasheet
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
  int cdna3, cdna4; ///< passes
};
} // namespace

static constexpr MatrixCost kMatrixCosts[] = {
    // m  blocks  rate     CDNA3  CDNA4
    {32, 1, MatrixRate::Narrow, 8, 8}, // CDNA4's instructions of the double K as well
    {16, 1, MatrixRate::Narrow, 4, 4}, {32, 2, MatrixRate::Narrow, 16, 16}, {16, 4, MatrixRate::Narrow, 8, 8},
    {4, 16, MatrixRate::Narrow, 2, 2}, {32, 1, MatrixRate::F32, 16, 16},    {16, 1, MatrixRate::F32, 8, 8},
    {32, 2, MatrixRate::F32, 16, 16},  {16, 4, MatrixRate::F32, 8, 8},      {4, 16, MatrixRate::F32, 2, 2},
    {16, 1, MatrixRate::F64, 8, 16},   {4, 4, MatrixRate::F64, 4, 4},       {32, 1, MatrixRate::Scaled, 0, 8},
    {16, 1, MatrixRate::Scaled, 0, 4}, {32, 1, MatrixRate::Scaled8, 0, 16}, {16, 1, MatrixRate::Scaled8, 0, 8},
};

int matrixPasses(const TargetInfo &target, int m, int blocks, MatrixRate rate) {
  int version = mfmaVersionOf(target);
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
