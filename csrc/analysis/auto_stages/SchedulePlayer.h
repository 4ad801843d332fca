//===- SchedulePlayer.h - Simulates the two groups of a warp pipeline --------------===//
//
// Simulates several iterations of a warp pipeline, in more detail than StageClocks.h. The two groups of warps of the
// pipeline compete for the execution units. The simulation finds when each result is available and when each copy is
// complete. A group stalls if it uses a value that is not available yet, or waits for a copy in flight. The clocks of
// the last iteration are the clocks of the steady state.
//
// The model also simulates the loop without stages: both groups then execute the same code at the same time.
//
// In a plan with exclusive stages, the groups synchronize only at the beginning of these stages: the low group begins
// exclusive stage t after the high group has ended exclusive stage t - 1, and the high group begins exclusive stage t
// after the low group has ended exclusive stage t.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_SCHEDULEPLAYER_H
#define HOCKET_ANALYSIS_AUTO_STAGES_SCHEDULEPLAYER_H

#include "analysis/auto_stages/StageProblem.h"

namespace hocket {

struct PlayedSchedule {
  /// Clocks of one iteration in the steady state.
  int64_t clocks = 0;
  /// The slots of the last simulated iteration; empty for a plan with exclusive stages. For each slot, `waiting` is the
  /// number of clocks for which the groups wait for copies in flight, `ending` is the number of clocks by which the end
  /// of an iteration prolongs the slot (Player::endIteration), and `units` contains the number of clocks for which each
  /// execution unit is occupied.
  struct Slot {
    int64_t clocks = 0, waiting = 0, ending = 0;
    UnitClocks units{};
  };
  std::vector<Slot> slots;
};

/// Simulates `plan`; the waits of `plan` must already have slots (placeWaits). `plan` has lag 0 if it represents a loop
/// without stages (planWithoutStages).
PlayedSchedule playSchedule(const StageProblem &problem, const StagePlan &plan);

} // namespace hocket

#endif
