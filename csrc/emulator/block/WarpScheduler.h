//===- WarpScheduler.h - Selects the warp of a block that runs next ----------------------------===//
//
// A warp runs until all its lanes wait. A warp's time slice also ends where a hardware scheduler could select another
// warp:
//
//   s_setprio                 its priority, 0 to 3, changes
//   a barrier that it opens   other warps become runnable
//   a tick                    the warp has been in a loop for long and may be waiting for another warp
//
// With seed 0, the scheduler selects the runnable warp of the highest priority; among equal priorities, the next warp
// in natural order. A warp that yielded in a loop may be waiting for another warp. A warp that yielded in a loop comes
// after all other warps, regardless of priorities, until the other warps have had a time slice.
//
// In a recorded block, the scheduler selects the warp with the earliest virtual clock, with any seed (BlockTiming.h).
//
// With any other seed, the scheduler selects a random warp of the highest priority, and one time in eight a random warp
// of any priority, because a kernel must be correct even if the hardware ignores priorities. The time slice ends after
// a random number of switches between lanes. With random time slices, all warps advance at about the same speed.
// Therefore every fourth seed is adversarial: it ranks the warps of a block at random, without regard to priorities,
// and always selects the runnable warp of the highest rank. One warp then runs far ahead, and another stays far behind.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_WARPSCHEDULER_H
#define HOCKET_EMULATOR_BLOCK_WARPSCHEDULER_H

#include "emulator/Emulator.h"
#include "emulator/block/LaneRunner.h"
#include "emulator/timing/BlockTiming.h"

#include <functional>
#include <optional>
#include <random>
#include <vector>

namespace hocket::emulator {

class WarpScheduler {
public:
  WarpScheduler(const LaunchOptions &options, LaneRunner &lanes, BlockTiming &timing);

  void begin(uint64_t block);

  struct TimeSlice {
    uint32_t warp;
    uint32_t switches; ///< maximum number of switches between lanes; 0: no limit
  };
  /// Selects the next time slice; nullopt if no warp can run.
  std::optional<TimeSlice> choose();
  /// Number of consecutive rounds in which all runnable warps have yielded in loops.
  unsigned roundsInLoops() const { return rounds; }
  void forgetRounds() { rounds = 0; }

  /// Sets the priority of the warp of `lane`, the running lane.
  void setPriority(Lane &lane, uint32_t priority);
  /// Records that the warp waits in a loop, so that other warps run first.
  void giveWay(uint32_t warp) { warps[warp].gaveWay = true; }
  /// True if another warp might have been selected instead of `warp`, now that more warps can run.
  bool isAnotherPreferred(uint32_t warp) const;
  /// In a recorded block, lets warps run whose clocks are earlier than the clock of `lane`.
  void letEarlierRun(Lane &lane);
  /// `deliver` performs arrivals up to a time of the virtual clock, and returns false if there are no arrivals.
  void setDelivery(std::function<bool(Clocks until)> deliver) { deliverUntil = std::move(deliver); }

private:
  struct Warp {
    uint32_t priority = 0;
    uint64_t adversarialRank = 0;
    bool gaveWay = false;
  };
  /// Returns the rank of `warp`. Warps of a higher rank run first.
  int rankOf(uint32_t warp) const { return warps[warp].gaveWay ? -1 : int(warps[warp].priority); }
  TimeSlice chooseByPriority(llvm::ArrayRef<uint32_t> runnable);

  const uint64_t seed;
  LaneRunner &lanes;
  BlockTiming &timing;
  std::vector<Warp> warps;
  unsigned rounds = 0;
  std::mt19937_64 random;
  std::function<bool(Clocks until)> deliverUntil;
};

} // namespace hocket::emulator

#endif
