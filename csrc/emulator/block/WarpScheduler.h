//===- WarpScheduler.h - Selects the warp of a block that runs next ----------------------------===//
//
// A warp runs until all its lanes wait. Its time slice also ends where the hardware's choice could change:
//
//   s_setprio                 its priority, 0 to 3, changes
//   a barrier that it opens   other warps become runnable
//   a tick                    it has been in a loop for long and may be waiting for another warp
//
// Seed 0: the runnable warp of the highest priority, or the next one in natural order among equals. A warp that yielded
// in a loop comes after all others until those have had a time slice, whatever its priority: it may be waiting for one
// of them.
//
// A block that is recorded: the warp with the earliest virtual clock, whatever the seed (BlockTiming.h).
//
// Other seeds: a random warp of the highest priority, but one time in eight any warp: a kernel must be correct even if
// the hardware ignores priorities. The time slice ends after a random number of switches between lanes. Random slices
// are short and average out, so every fourth seed is adversarial: it ranks the warps of a block at random, ignoring
// priorities, and the runnable warp of the highest rank always runs. One warp then runs far ahead, another is left
// behind.
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
  /// Selects the next time slice; nullopt when no warp can run.
  std::optional<TimeSlice> choose();
  /// Number of consecutive rounds in which all runnable warps have yielded in loops.
  unsigned roundsInLoops() const { return rounds; }
  void forgetRounds() { rounds = 0; }

  /// Sets the priority of the warp of `lane`, the running one.
  void setPriority(Lane &lane, uint32_t priority);
  /// Records that the warp waits in a loop: others run first.
  void giveWay(uint32_t warp) { warps[warp].gaveWay = true; }
  /// True if another warp might have been selected instead of `warp`, now that more warps can run.
  bool isAnotherPreferred(uint32_t warp) const;
  /// In a block that is recorded: lets the warps run whose clocks are earlier than that of `lane`.
  void letEarlierRun(Lane &lane);
  /// `deliver` performs arrivals up to a time of the virtual clock; it returns false if there are none.
  void setDelivery(std::function<bool(Clocks until)> deliver) { deliverUntil = std::move(deliver); }

private:
  struct Warp {
    uint32_t priority = 0;
    uint64_t adversarialRank = 0;
    bool gaveWay = false;
  };
  /// Warps of a higher rank run first.
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
