//===- SharedPhases.cpp - Lanes that shared memory serves in the same phase -------===//
//
// The table lists, for each target, kind of access and number of bytes per lane: the number of banks, the lanes served
// in the same phase, and the source. Accesses of 1 and 2 bytes are served like accesses of 4 bytes. An ellipsis (...)
// means that the pattern continues for the remaining lanes of the warp.
//
//   NVIDIA   any      4   32 banks, 32 lanes   [1]
//                     8   32 banks, 0..15 | 16..31   [2]
//                    16   32 banks, 0..7 | 8..15 | ...   [2]; ldmatrix, stmatrix: one matrix of 8 rows per phase
//   gfx942   any      4   32 banks, 0..31 | 32..63   [3]
//                     8   32 banks, 0..15 | 16..31 | ...   [3]
//            load    16   32 banks, 0..3 20..23 | 4..7 16..19 | 8..11 28..31 | 12..15 24..27 | these lanes + 32
//                         [3] [4] [5]
//            store   16   32 banks, 0..7 | 8..15 | ...   [6]
//   gfx950   load     4   64 banks, 64 lanes   assumed from the bandwidth of 256 bytes per clock [7]
//                     8   64 banks, 0..31 | 32..63   measured [8]
//                    16   64 banks, 0..3 12..15 20..23 24..27 | 4..7 8..11 16..19 28..31 | these lanes + 32
//                         measured [8], [5]
//            transposed   8   like a load of 8 bytes   assumed: nothing is published
//            store    8   32 banks, 0..15 | 16..31 | ...   measured [8]: stores use half of the banks of loads
//                     4   32 banks, 0..31 | 32..63   assumed from the store of 8 bytes
//                    16   32 banks, 0..7 | 8..15 | ...   [6] for the lanes, banks assumed from the store of 8 bytes
//
// [1] CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later.
// [2] NVIDIA's answers to "Unexpected shared memory bank conflict" (Developer Forums, 77228): 128 bytes per clock, a
//     128-bit access of a warp is four requests.
// [3] AMDResearch dh_comms (the message handlers of omniprobe), memory_analysis_handler: its conflict sets.
// [4] ROCm blog "Avoiding LDS Bank Conflicts on AMD GPUs Using CK-Tile Framework"; measured by tingqli/pyhip too.
// [5] triton-lang/triton pull request 11365, by AMD: the phases of ds_read_b128 on MI300 and MI350.
// [6] ROCm documentation, "Understanding AMD GPU LDS and Bank Conflicts": the phases of ds_write_b128.
// [7] AMD CDNA4 ISA guide and white paper: 160 KiB in 64 banks, twice the read bandwidth of CDNA3.
// [8] HipKittens (Hu et al., 2025, arXiv 2511.08083), analysis/paper_experiments/phases: pairs of lanes probed with the
//     counter SQ_LDS_BANK_CONFLICT on an MI355X; 32 banks for ds_write_b64, 64 for ds_read_b64 and ds_read_b128.
//
// Several lanes that access the same word are served at once (broadcast). The tables ignore that LLVM fuses narrow
// accesses: a ds_read2_b32, which loads two words per lane, is modeled as two accesses.
//
//===------------------------------------------------------------------------------===//
#include "target/SharedPhases.h"

namespace hocket {

static constexpr size_t kBytes16 = 4;

/// Returns a table in which each phase serves consecutive lanes. Loads use `loadBanks` banks of 4 bytes, and stores use
/// `storeBanks` banks of 4 bytes.
static constexpr SharedBanks consecutiveBanks(int32_t loadBanks, int32_t storeBanks, int32_t warpSize) {
  SharedBanks banks = SharedBanks::consecutive(loadBanks, 128, warpSize);
  banks.phases[size_t(SharedAccess::Store)] =
      SharedBanks::consecutive(storeBanks, 128, warpSize).phases[size_t(SharedAccess::Store)];
  return banks;
}

constexpr SharedBanks kAmpereSharedBanks = [] {
  SharedBanks banks = consecutiveBanks(32, 32, 32);
  banks.loadsMatrices = true;
  return banks;
}();

constexpr SharedBanks kHopperSharedBanks = [] {
  SharedBanks banks = kAmpereSharedBanks;
  banks.storesMatrices = true;
  return banks;
}();

constexpr SharedBanks kCdna3SharedBanks = [] {
  SharedBanks banks = consecutiveBanks(32, 32, 64);
  banks.phases[size_t(SharedAccess::Load)][kBytes16] = {32, {1, 2, 4 ^ 16}};
  return banks;
}();

constexpr SharedBanks kCdna4SharedBanks = [] {
  SharedBanks banks = consecutiveBanks(64, 32, 64);
  banks.transposesLoads = true;
  banks.phases[size_t(SharedAccess::Load)][kBytes16] = {64, {1, 2, 4 ^ 8, 4 ^ 16}};
  return banks;
}();

} // namespace hocket
