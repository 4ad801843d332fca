//===- KeepTime.h - Advances a warp's virtual clock by its work --------------------------------===//
#ifndef HOCKET_EMULATOR_TIMING_KEEPTIME_H
#define HOCKET_EMULATOR_TIMING_KEEPTIME_H

#include "emulator/block/Lane.h"
#include "emulator/block/WarpScheduler.h"
#include "emulator/timing/BlockTiming.h"

namespace hocket::emulator {

/// Must be called before `lane` executes the work of event `event`. If the block is recorded, the clock of the lane's
/// warp advances to the time at which the inputs of the work are available, and then by the duration of the work.
/// Before the warp issues to a unit, or resumes after a wait for a unit, every warp with an earlier clock runs up to
/// that time.
void keepTime(BlockTiming &timing, WarpScheduler &scheduler, Lane &lane, uint32_t event);

} // namespace hocket::emulator

#endif
