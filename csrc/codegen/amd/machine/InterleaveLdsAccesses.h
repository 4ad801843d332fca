//===- InterleaveLdsAccesses.h - Interleaves memory accesses with VALU instructions -------------===//
//
// In a warp pipeline, the wave in the stage that reads LDS has a higher priority than the wave that executes another
// stage on the same SIMD. The reading wave mostly waits for LDS, but LLVM's schedulers order its LDS accesses first,
// followed by its VALU instructions in one burst. Because of the priority, each VALU instruction of the burst is issued
// before the other wave's instructions. The burst therefore delays the other wave's MFMAs, which are issued through the
// port of the VALU. If the burst takes longer than one MFMA, the matrix core becomes idle:
//
//   reading wave (priority 1)              computing wave (priority 0)
//   ds_read x 16                           v_mfma, v_exp, v_mfma, v_exp, ...
//   v_max x 16: 64 clocks                  the last v_mfma ends within 32 clocks, the next one has to wait
//
// This pass distributes the VALU instructions evenly among the LDS accesses:
//
//   ds_read, v_max, ds_read, v_max, ...    v_mfma, v_exp, v_mfma, v_exp, ...
//
// VALU instructions fit between two LDS accesses because the four SIMDs of a compute unit share LDS: four ds_read2_b64,
// one of each SIMD, occupy LDS for 32 clocks.
//
// Why LLVM does not do this: InterleaveMfma.h explains why sched_group_barrier and ScheduleDAGMutation do not suffice.
// In addition, neither sched_group_barrier nor ScheduleDAGMutation can take the stage of the other wave into account.
//
// Gain (docs/lab/isa.md): without this pass, by the schedule model, iterations of warp pipelines take on average 0.2 %
// more clocks on gfx950 and 1.5 % more on gfx942, and at most 6 % more.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_INTERLEAVELDSACCESSES_H
#define HOCKET_CODEGEN_AMD_MACHINE_INTERLEAVELDSACCESSES_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// Creates the pass that interleaves LDS accesses. If `isAllocated` is false, the pass must run between LLVM's first
/// machine scheduler and register allocation. If `isAllocated` is true, the pass must run after LLVM's second machine
/// scheduler, which runs after register allocation. `transcendental` is the issue time of a transcendental instruction,
/// as a multiple of the issue time of other VALU instructions.
llvm::FunctionPass *createInterleaveLdsAccessesPass(int transcendental, bool isAllocated);

} // namespace hocket

#endif
