//===- PipelinedLoop.h - Builds the software-pipelined loop ---------------------------===//
//
// With 3 stages, for copies through registers:
//
//     if trips >= 2 {
//       read(0)  write(0)  read(1)                                      prologue: stages of iterations that have begun
//       for i in 0 ... trips - 2 { compute(i)  write(i+1)  read(i+2) }
//       compute(trips-2)  write(trips-1)  compute(trips-1)              epilogue: stages of the remaining iterations
//     } else { the original loop }
//
// The new loop performs exactly the loads of the original one, so no predicates are needed. With 2 stages the branch is
// `trips >= 1` without an else; with constant bounds there is no branch.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_PIPELINEDLOOP_H
#define HOCKET_TRANSFORMS_PREFETCH_PIPELINEDLOOP_H

#include "transforms/prefetch/PipelinePlan.h"

namespace hocket::prefetch {

/// Replaces the plan's loop. `keepsStagesApart`: insert hk.sched_barrier as the plan requires.
void emitPipeline(const PipelinePlan &plan, bool keepsStagesApart);

} // namespace hocket::prefetch

#endif
