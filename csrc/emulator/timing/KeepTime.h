//===- KeepTime.h - Advances a warp's virtual clock by its work --------------------------------===//
#ifndef HOCKET_EMULATOR_TIMING_KEEPTIME_H
#define HOCKET_EMULATOR_TIMING_KEEPTIME_H

#include "emulator/block/Lane.h"
#include "emulator/block/WarpScheduler.h"
#include "emulator/timing/BlockTiming.h"

namespace hocket::emulator {

/// Called before `lane` executes the work of the event with this number. If the block is recorded, its warp waits for
/// the inputs and takes the time of the work: before it issues to a unit, or resumes after waiting for one, every warp
/// with an earlier clock runs up to that time.
void keepTime(BlockTiming &timing, WarpScheduler &scheduler, Lane &lane, uint32_t event);

} // namespace hocket::emulator

#endif
