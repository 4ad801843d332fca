//===- ScheduleLoops.h - Restricts LLVM's post-RA scheduler to loops ----------------------------===//
//
// AMD's back end schedules instructions twice. The second scheduler runs after register allocation, so it can only
// reduce stalls by latencies and hazards. At every step, the second scheduler checks hazards for every candidate
// instruction, which takes a tenth of LLVM's compile time for a large kernel. Code outside of loops runs only once, so
// the second scheduler would save few wait states there. Code outside of loops therefore keeps the order of the first
// scheduler.
//
// Why LLVM does not do this: PostMachineScheduler cannot be restricted to some basic blocks.
//
// Gain (docs/lab/isa.md): only compile time is saved. Without this pass, loops have the same instructions, and code
// outside of loops has fewer wait states: kernels have 1 % fewer instructions on average.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_SCHEDULELOOPS_H
#define HOCKET_CODEGEN_AMD_MACHINE_SCHEDULELOOPS_H

#include "llvm/Pass.h"

namespace hocket {

/// Creates the pass, which replaces LLVM's PostMachineScheduler. In a function without loops, the pass schedules all
/// basic blocks.
llvm::FunctionPass *createScheduleLoopsPass();

} // namespace hocket

#endif
