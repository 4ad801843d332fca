//===- Barriers.h - The barriers of a block, released by arrival count -------------------------===//
//
// As on the hardware, a barrier counts threads; it does not know who they are or where in the program they wait.
// Warps that wait at different lines can therefore release each other, which staggered warp pipelines rely on. A warp
// is counted when all of its lanes are there: lanes run one after the other, and a barrier for some of the warps must
// not open for half of one and half of another.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_BARRIERS_H
#define HOCKET_EMULATOR_BLOCK_BARRIERS_H

#include "emulator/block/CopiesToShared.h"
#include "emulator/block/LaneRunner.h"
#include "emulator/block/WarpScheduler.h"
#include "emulator/faults/Fault.h"
#include "emulator/races/WarpOrder.h"
#include "emulator/timing/BlockTiming.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>
#include <vector>

namespace hocket::emulator {

class Barriers {
public:
  Barriers(const Program &program, LaneRunner &lanes, WarpScheduler &scheduler, CopiesToShared &copies,
           BlockOrders orders, BlockTiming &timing);

  void begin();
  /// `threads`: how many the barrier waits for; 0: all of the block.
  void arrive(Lane &lane, uint32_t id, uint32_t threads);
  /// What the predicates of all threads at a barrier become.
  struct Reduction {
    std::optional<host_abi::BarrierReduction> kind = {};
    bool predicate = false;
  };
  /// FenceEffects of fences around a barrier.
  struct Fences {
    uint32_t before = 0, after = 0;
  };
  /// Arrives, waits until the barrier opens, and returns what the reduction makes of the predicates.
  uint32_t wait(Lane &lane, uint32_t id, uint32_t threads, uint32_t site, Reduction reduction, Fences fences);
  /// All lanes of a warp have ended: AMD's barrier does not wait for it any longer.
  void leave();
  /// The lanes of `warp` that wait at a barrier, for the report of a deadlock.
  void appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const;

private:
  static constexpr unsigned kCount = 16;

  struct Barrier {
    uint32_t arrived = 0;                            ///< threads of warps that have arrived as a whole
    uint32_t expected = 0;                           ///< 0: none has come yet
    bool reduces = false;                            ///< a thread waits for what becomes of predicates
    uint32_t holding = 0;                            ///< threads whose predicate holds, for reductions
    llvm::SmallVector<LaneMask, kMaxWarps> arriving; ///< lanes of warps that are still to arrive as a whole
    llvm::SmallVector<LaneMask, kMaxWarps> waiting;  ///< lanes per warp; those that only arrived are not in it
    std::array<VectorClock, 2> passedOn;             ///< what the warps that arrived had released, by memory

    explicit Barrier(uint32_t numWarps) : arriving(numWarps), waiting(numWarps) {}
    /// As the user counts: each thread on its own.
    uint32_t arrivedThreads() const;
    uint32_t reduce(host_abi::BarrierReduction reduction) const;
  };
  /// What a thread waits with.
  struct Waiter {
    Reduction reduction;
    Fences fences;
    uint32_t result = 0;
  };

  uint32_t expectedAt(uint32_t threads) const;
  Waiter &waiterOf(uint32_t warp, unsigned lane) { return waiters[size_t(warp) * lanes.warpSize + lane]; }
  /// `lane` has come to `barrier`, to wait or not.
  void count(Lane &lane, Barrier &barrier, uint32_t threads);
  /// Calls `function(memory, order, lanes, effects)` for both memories and for lanes whose fences `place` the barrier
  /// are alike; without effects where these are not for the memory.
  template <typename Function>
  void forEachFence(uint32_t warp, LaneMask which, uint32_t Fences::*place, Function function);
  /// Opens `barrier`. `running`: the lane that runs, if it waits there; the others are woken.
  void open(Barrier &barrier, const Lane *running);
  /// What is left of `barrier` once it is open: warps of which some lanes have come already.
  static Barrier withoutReleased(const Barrier &barrier);

  const Program &program;
  LaneRunner &lanes;
  WarpScheduler &scheduler;
  CopiesToShared &copies;
  BlockOrders orders;
  BlockTiming &timing;
  std::vector<Barrier> barriers; ///< of the blocks of a cluster, one after the other
  Barrier &barrierAt(const Lane &lane, uint32_t id) { return barriers[lane.rank * kCount + id % kCount]; }
  std::vector<Waiter> waiters; ///< by thread
  uint64_t openings = 0;
};

} // namespace hocket::emulator

#endif
