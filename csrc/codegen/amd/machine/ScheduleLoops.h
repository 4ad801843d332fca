//===- ScheduleLoops.h - Restricts LLVM's post-RA scheduler to loops ----------------------------===//
//
// AMD's back end schedules instructions twice. After register allocation only latencies and hazards are left to
// improve, and the scheduler checks the hazards of every instruction that could be next, each time: a tenth of LLVM's
// time for a large kernel. Code outside of loops runs once, and the second scheduler saves few wait states there, so
// LLVM's first order is kept.
//
// LLVM's own means: PostMachineScheduler has no filter for basic blocks.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_SCHEDULELOOPS_H
#define HOCKET_CODEGEN_AMD_MACHINE_SCHEDULELOOPS_H

#include "llvm/Pass.h"

namespace hocket {

/// Replaces LLVM's PostMachineScheduler. Functions without loops are scheduled entirely.
llvm::FunctionPass *createScheduleLoopsPass();

} // namespace hocket

#endif
