//===- InterleaveMfma.h - Interleaves MFMA with VALU instructions -------------------------------===//
//
// A wave issues its instructions in order. While the matrix core executes an MFMA for 32 clocks, the wave can issue
// five or six VALU instructions, but not the next MFMA. An MFMA starts only after all VALU instructions before it have
// been issued. LLVM's machine schedulers reorder instructions only to hide latencies. Independent MFMAs need not wait
// for each other's results, so the schedulers leave MFMAs and VALU instructions in bursts:
//
//   v_mfma                          v_mfma
//   v_exp x 7                       v_exp x 2, v_add x 2
//   v_mfma                          v_mfma
//   v_mfma               ->         v_exp x 2, v_add x 2
//   v_mfma                          ...
//   v_add x 10
//
// This pass interleaves the MFMAs of a run evenly with the VALU instructions, as far as dependences through registers
// allow. A run is a sequence of instructions without memory accesses, e.g. a compute stage of a warp pipeline.
//
// Why LLVM does not do this: sched_group_barrier (IGroupLP) takes a pattern of fixed counts, which the front end would
// have to compute for each run. The solver of IGroupLP takes exponential time in the number of groups, and ignores the
// pattern if dependences do not allow it. A ScheduleDAGMutation can only add edges to the graph of the first scheduler;
// the register pressure heuristics of GCNSchedStrategy then choose among the orders that the edges allow.
//
// Gain (docs/lab/isa.md): without this pass, iterations of 91 loops in hocket.kernels take 4 % more clocks on average,
// by the schedule model, and at most 18 %.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_INTERLEAVEMFMA_H
#define HOCKET_CODEGEN_AMD_MACHINE_INTERLEAVEMFMA_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// Creates the pass that interleaves MFMAs. If `isAllocated` is false, the pass must run between LLVM's first machine
/// scheduler and register allocation. If `isAllocated` is true, the pass must run after LLVM's second machine
/// scheduler, which runs after register allocation. `transcendental` is the issue time of a transcendental instruction,
/// as a multiple of the issue time of other VALU instructions.
llvm::FunctionPass *createInterleaveMfmaPass(int transcendental, bool isAllocated);

} // namespace hocket

#endif
