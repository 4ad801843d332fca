//===- ScheduleLoops.h - LLVM's second scheduler, for loops only -----------------------===//
//
// AMD's back end orders instructions twice. Once registers are allocated, only latencies and hazards are left to mind,
// and the scheduler asks for the hazards of all instructions that could be next, each time: of a large kernel that is a
// tenth of LLVM's time. What is before and after the loops of such a kernel runs once. There it saves a wait state now
// and then, which nobody notices; LLVM's first order stays.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_SCHEDULELOOPS_H
#define HOCKET_CODEGEN_SCHEDULELOOPS_H

#include "llvm/Pass.h"

namespace hocket {

/// In the place of LLVM's PostMachineScheduler. Functions without loops are scheduled whole.
llvm::FunctionPass *createScheduleLoopsPass();

} // namespace hocket

#endif
