//===- InterleaveLdsAccesses.h - Interleaves memory accesses with VALU instructions -------------===//
//
// In a warp pipeline, the wave in the stage that reads LDS has a higher priority than the wave that executes another
// stage on the same SIMD. The reading wave mostly waits for LDS, but LLVM's schedulers issue its accesses first and its
// VALU instructions in one burst after them. Each VALU instruction of the burst is issued before instructions of the
// other wave, even before MFMAs, which are issued through the VALU port, too. If the burst takes longer than an MFMA,
// the matrix core idles:
//
//   reading wave (priority 1)              computing wave (priority 0)
//   ds_read x 16                           v_mfma, v_exp, v_mfma, v_exp, ...
//   v_max x 16: 64 clocks                  the last v_mfma ends within 32 clocks, the next one has to wait
//
// This pass distributes the VALU instructions evenly among the accesses:
//
//   ds_read, v_max, ds_read, v_max, ...    v_mfma, v_exp, v_mfma, v_exp, ...
//
// There is time between two accesses because the four SIMDs of a compute unit share LDS: four ds_read2_b64, one of each
// SIMD, take 32 clocks.
//
// InterleaveMfma.h explains why sched_group_barrier and ScheduleDAGMutation do not do this. In addition, neither
// sched_group_barrier nor ScheduleDAGMutation can take the stage of the other wave into account.
//
// Gain (docs/lab/isa.md): without this pass, by the schedule model, iterations of warp pipelines take 0.2 % more clocks
// on gfx950 and 1.5 % more on gfx942, at most 6 %.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_INTERLEAVELDSACCESSES_H
#define HOCKET_CODEGEN_AMD_MACHINE_INTERLEAVELDSACCESSES_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// Creates the pass. The pass must run after the scheduler that runs before register allocation or, if `isAllocated`,
/// after the scheduler that runs after register allocation. `transcendental` is the issue time of a transcendental
/// instruction, as a multiple of the issue time of other VALU instructions.
llvm::FunctionPass *createInterleaveLdsAccessesPass(int transcendental, bool isAllocated);

} // namespace hocket

#endif
