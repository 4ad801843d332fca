//===- InterleaveLdsAccesses.h - Interleaves memory accesses with VALU instructions -------------===//
//
// In a warp pipeline, the stage that reads LDS has a higher priority than the stage that another wave of the same SIMD
// executes at the time. The reading wave mostly waits for LDS, but LLVM's schedulers issue its accesses first and its
// VALU instructions in one burst after them. Each VALU instruction of that burst is issued before the other wave's
// instructions, and an MFMA is issued through the VALU port too. A burst longer than an MFMA leaves the matrix core
// idle:
//
//   reading wave (priority 1)              computing wave (priority 0)
//   ds_read x 16                           v_mfma, v_exp, v_mfma, v_exp, ...
//   v_max x 16: 64 clocks                  the last v_mfma ends within 32 clocks, the next one has to wait
//
// This pass distributes the VALU instructions evenly among the accesses:
//
//   ds_read, v_max, ds_read, v_max, ...    v_mfma, v_exp, v_mfma, v_exp, ...
//
// There is time between two accesses because the four SIMDs of a compute unit share LDS: one ds_read2_b64 of each takes
// 32 clocks.
//
// LLVM's own means: see InterleaveMfma.h; neither knows the other wave's stage. docs/lab/isa.md has the measured gain.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_INTERLEAVELDSACCESSES_H
#define HOCKET_CODEGEN_AMD_MACHINE_INTERLEAVELDSACCESSES_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// For AMD GPUs, after the scheduler before register allocation, or after the one that follows it (`isAllocated`). A
/// transcendental instruction takes the issue time of `transcendental` other VALU instructions.
llvm::FunctionPass *createInterleaveLdsAccessesPass(int transcendental, bool isAllocated);

} // namespace hocket

#endif
