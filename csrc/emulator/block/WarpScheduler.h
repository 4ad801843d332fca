//===- WarpScheduler.h - Which warp of a block goes on -----------------------------------------===//
//
// A warp runs until all its lanes wait. It also gives up its turn where the hardware's choice could change:
//
//   s_setprio                 its priority, 0 to 3, is another one
//   a barrier that it opens   others can go on
//   a tick                    it has been in a loop for long, perhaps waiting for another warp
//
// Seed 0: the warp of the highest priority goes on, among equals the next one in their natural order. A warp that gave
// way in a loop comes after all others until those have had their turn, whatever its priority: it may wait for one of
// them.
//
// A block that is recorded: the warp whose virtual clock shows the earliest time, whatever the seed (BlockTiming.h).
//
// Other seeds: a random one of the highest priority, but one time in eight any warp: a kernel must be right even if
// the hardware ignores priorities. Its turn ends after a random number of switches between lanes. Random turns are
// short and even out, so every fourth seed is adversarial: it ranks the warps of a block at random, whatever their
// priorities, and the one that ranks highest goes first for as long as it can. One warp runs far ahead, another is left
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

  struct Turn {
    uint32_t warp;
    uint32_t switches; ///< between lanes until it ends; 0: no limit
  };
  /// Whose turn it is now; nothing when no warp can run.
  std::optional<Turn> choose();
  /// How often in a row all warps that can run have given way in loops.
  unsigned roundsInLoops() const { return rounds; }
  void forgetRounds() { rounds = 0; }

  /// Of the warp of `lane`, which runs.
  void setPriority(Lane &lane, uint32_t priority);
  /// The warp waits in a loop: others go first.
  void giveWay(uint32_t warp) { warps[warp].gaveWay = true; }
  /// Whether another warp might have gone on in place of `warp`, now that more of them can run.
  bool isAnotherPreferred(uint32_t warp) const;
  /// In a block that is recorded: lets the warps run whose clocks show an earlier time than that of `lane`.
  void letEarlierRun(Lane &lane);
  /// `deliver` lets what warps wait for arrive until some time of the virtual clock; false if there is nothing.
  void setDelivery(std::function<bool(Clocks until)> deliver) { deliverUntil = std::move(deliver); }

private:
  struct Warp {
    uint32_t priority = 0;
    uint64_t adversarialRank = 0;
    bool gaveWay = false;
  };
  /// Warps of a higher rank go first.
  int rankOf(uint32_t warp) const { return warps[warp].gaveWay ? -1 : int(warps[warp].priority); }
  Turn chooseByPriority(llvm::ArrayRef<uint32_t> runnable);

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
