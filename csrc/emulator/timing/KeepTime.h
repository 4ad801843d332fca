//===- KeepTime.h - Lets a warp take the time of what it does ----------------------------------===//
#ifndef HOCKET_EMULATOR_TIMING_KEEPTIME_H
#define HOCKET_EMULATOR_TIMING_KEEPTIME_H

#include "emulator/block/Lane.h"
#include "emulator/block/WarpScheduler.h"
#include "emulator/timing/BlockTiming.h"

namespace hocket::emulator {

/// `lane` is about to do what the event with this number stands for. Where the block is recorded, its warp waits for
/// what that needs and takes its time: before it asks a unit, or goes on after it has waited for one, every warp whose
/// clock shows an earlier time runs up to there.
void keepTime(BlockTiming &timing, WarpScheduler &scheduler, Lane &lane, uint32_t event);

} // namespace hocket::emulator

#endif
