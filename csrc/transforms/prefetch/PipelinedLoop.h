//===- PipelinedLoop.h - Build the loop that a plan describes -------------------------===//
//
// With 3 stages, for copies through registers:
//
//     if trips >= 2 {
//       read(0)  write(0)  read(1)                                      the stages, as far as iterations have begun
//       for i in 0 .. trips - 2 { compute(i)  write(i+1)  read(i+2) }
//       compute(trips-2)  write(trips-1)  compute(trips-1)              the stages, as far as iterations are left
//     } else { the loop as it was }
//
// Nothing is loaded that the plain loop would not load, and nothing needs a predicate. With 2 stages the branch is
// `trips >= 1`, and there is nothing to do otherwise; with constant bounds there is no branch.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_PIPELINEDLOOP_H
#define HOCKET_TRANSFORMS_PREFETCH_PIPELINEDLOOP_H

#include "transforms/prefetch/PipelinePlan.h"

namespace hocket::prefetch {

/// Replaces the plan's loop. `keepsStagesApart`: place hk.sched_barrier where the plan says so.
void emitPipeline(const PipelinePlan &plan, bool keepsStagesApart);

} // namespace hocket::prefetch

#endif
