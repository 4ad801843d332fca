//===- SchedulePlayer.h - Simulates the two groups of a warp pipeline --------------===//
//
// Simulates several iterations of a warp pipeline, in more detail than StageClocks.h. The two groups of warps of the
// pipeline compete for the execution units. The simulation finds when each result is available and when each copy is
// complete. A group stalls if it uses a value that is not available yet, or waits for a copy in flight. The clocks of
// the last iteration are the clocks of the steady state.
//
// The model also simulates the loop without stages: both groups then execute the same code at the same time.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_SCHEDULEPLAYER_H
#define HOCKET_ANALYSIS_AUTO_STAGES_SCHEDULEPLAYER_H

#include "analysis/auto_stages/StageProblem.h"

namespace hocket {

struct PlayedSchedule {
  /// Clocks of an iteration.
  int64_t clocks = 0;
  /// The slots of the last iteration. `waiting` is the time that a slot waits for copies in flight; `units` is the time
  /// for which each unit is occupied.
  struct Slot {
    int64_t clocks = 0, waiting = 0;
    UnitClocks units{};
  };
  std::vector<Slot> slots;
};

/// Simulates `plan`, whose waits must have been placed (placeWaits). The lag of a loop without stages is 0.
PlayedSchedule playSchedule(const StageProblem &problem, const StagePlan &plan);

} // namespace hocket

#endif
