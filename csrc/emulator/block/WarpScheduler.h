//===- WarpScheduler.h - Selects the warp of a block that runs next ----------------------------===//
//
// A warp runs until all its lanes wait. The time slice of a warp also ends when the warp changes its priority by
// s_setprio, opens a barrier, arrives at an mbarrier, or reaches a tick in a loop (BlockRunner::tick). A hardware
// scheduler could also select another warp at these events.
//
// With seed 0, the scheduler selects the runnable warp with the highest priority. Among warps of equal priority, it
// selects the next warp in cyclic order. A warp that has yielded at a tick may be waiting for another warp. Therefore
// all other runnable warps run before this warp, regardless of priorities, until all runnable warps have yielded.
//
// In a block with a virtual clock (BlockTiming.h), the scheduler selects the warp whose clock is earliest, with any
// seed.
//
// With a seed other than 0, the scheduler selects a random warp of the highest priority. One time in eight, it selects
// a random warp of any priority, because a kernel must be correct even if the hardware ignores priorities. The time
// slice then ends after a random number of switches between lanes.
//
// With random time slices, all warps advance at about the same speed. Every fourth seed is therefore adversarial: the
// scheduler ranks the warps of a block at random, regardless of priorities, and always selects the runnable warp with
// the highest rank. One warp then runs far ahead, and another warp stays far behind.
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
  /// Records that `warp` has yielded at a tick, so that other warps run first.
  void giveWay(uint32_t warp) { warps[warp].gaveWay = true; }
  /// True if the scheduler might select another runnable warp before `warp`.
  bool isAnotherPreferred(uint32_t warp) const;
  /// Lets warps run whose virtual clocks are earlier than the clock of the warp of `lane`. Must be called only in a
  /// block with a virtual clock.
  void letEarlierRun(Lane &lane);
  /// Sets the function that performs one arrival in flight at an mbarrier, at the latest at virtual time `until`.
  /// `deliver` returns false if there is no such arrival.
  void setDelivery(std::function<bool(Clocks until)> deliver) { deliverUntil = std::move(deliver); }

private:
  struct Warp {
    uint32_t priority = 0;
    uint64_t adversarialRank = 0;
    bool gaveWay = false;
  };
  /// Returns the scheduling priority of `warp`, which is -1 if the warp has yielded at a tick. Warps with a higher
  /// scheduling priority run first.
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
