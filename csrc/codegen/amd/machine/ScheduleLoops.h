//===- ScheduleLoops.h - Restricts LLVM's post-RA scheduler to loops ----------------------------===//
//
// AMD's back end schedules instructions twice. After register allocation, the scheduler can only improve latencies and
// hazards. The second scheduler, which runs after register allocation, checks hazards for every candidate instruction
// at every step, which takes a tenth of LLVM's time for a large kernel. The second scheduler saves few wait states in
// code outside of loops, which runs only once. Code outside of loops therefore keeps the order of the first scheduler.
//
// Why LLVM does not do this: PostMachineScheduler cannot be restricted to some basic blocks.
//
// Gain (docs/lab/isa.md): compile time alone. Without this pass, loops have the same instructions, and code outside of
// loops is shorter: kernels have 1 % fewer instructions on average.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_SCHEDULELOOPS_H
#define HOCKET_CODEGEN_AMD_MACHINE_SCHEDULELOOPS_H

#include "llvm/Pass.h"

namespace hocket {

/// Creates the pass, which replaces LLVM's PostMachineScheduler. A function without loops is scheduled entirely.
llvm::FunctionPass *createScheduleLoopsPass();

} // namespace hocket

#endif
