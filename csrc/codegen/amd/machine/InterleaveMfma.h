//===- InterleaveMfma.h - Interleaves MFMA with VALU instructions -------------------------------===//
//
// A wave issues in order. While the matrix core executes an MFMA for 32 clocks, the wave can issue five or six VALU
// instructions, but not the next MFMA; nor can an MFMA start while VALU instructions before it wait to be issued.
// LLVM's schedulers optimize latencies, of which independent MFMAs have none, and leave both kinds in bursts:
//
//   v_mfma                          v_mfma
//   v_exp x 7                       v_exp x 2, v_add x 2
//   v_mfma                          v_mfma
//   v_mfma               ->         v_exp x 2, v_add x 2
//   v_mfma                          ...
//   v_add x 10
//
// This pass distributes the MFMAs of a run of instructions without memory accesses, e.g. a compute stage of a warp
// pipeline, evenly among its VALU instructions, as far as registers allow.
//
// LLVM's own means: sched_group_barrier (IGroupLP) takes a pattern of fixed counts that the front end would have to
// compute for each run, and its solver is exponential in the number of groups; it also drops the pattern where
// dependences do not allow it. A ScheduleDAGMutation only adds edges to the first scheduler's graph: register pressure
// heuristics of GCNSchedStrategy then decide the order among the remaining choices. docs/lab/isa.md has the measured gain.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_INTERLEAVEMFMA_H
#define HOCKET_CODEGEN_AMD_MACHINE_INTERLEAVEMFMA_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// For AMD GPUs, after the scheduler before register allocation, or after the one that follows it (`isAllocated`). A
/// transcendental instruction takes the issue time of `transcendental` other VALU instructions.
llvm::FunctionPass *createInterleaveMfmaPass(int transcendental, bool isAllocated);

} // namespace hocket

#endif
