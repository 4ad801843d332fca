//===- Barriers.h - The barriers of a block, released by arrival count -------------------------===//
//
// A barrier only counts threads, as on the hardware: it does not record which threads arrive or at which program
// points. Warps that wait at different program points can therefore release each other. Staggered warp pipelines rely
// on this property. A warp is counted when all of its lanes have arrived. Single lanes are not counted: the emulator
// runs lanes one after the other, so a barrier for 32 threads could open when half of one warp and half of another warp
// have arrived.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_BARRIERS_H
#define HOCKET_EMULATOR_BLOCK_BARRIERS_H

#include "emulator/NamedBarriers.h"
#include "emulator/block/CopiesToShared.h"
#include "emulator/block/LaneRunner.h"
#include "emulator/block/WarpScheduler.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/races/WarpOrder.h"
#include "emulator/timing/BlockTiming.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>
#include <vector>

namespace hocket::emulator {

class Barriers {
public:
  Barriers(const Program &program, LaneRunner &lanes, WarpScheduler &scheduler, BlockFaults &faults,
           CopiesToShared &copies, BlockOrders orders, BlockTiming &timing);

  void begin();
  /// `threads`: number of threads for which the barrier waits; 0 for all threads of the block. `site`: index of the
  /// arrival's source location.
  void arrive(Lane &lane, uint32_t id, uint32_t threads, uint32_t site);
  /// A reduction over the predicates of all threads that arrive at a barrier.
  struct Reduction {
    std::optional<host_abi::BarrierReduction> kind = {};
    bool predicate = false;
  };
  /// FenceEffects of the fences before and after a barrier.
  struct Fences {
    uint32_t before = 0, after = 0;
  };
  /// Arrives at barrier `id`, waits until the barrier opens, and returns the reduction of the predicates; 0 without a
  /// reduction.
  uint32_t wait(Lane &lane, uint32_t id, uint32_t threads, uint32_t site, Reduction reduction, Fences fences);
  /// Must be called when all lanes of a warp have ended. On AMD targets, the barrier then no longer waits for the warp.
  void leave();
  /// Appends the lanes of `warp` that wait at a named barrier to `stuck`, for a deadlock report.
  void appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const;

private:
  struct Barrier {
    uint32_t arrived = 0;                            ///< number of threads in warps whose lanes have all arrived
    uint32_t expected = 0;                           ///< number of expected threads; 0 before the first arrival
    bool reduces = false;                            ///< true if a thread waits for the reduction
    uint32_t holding = 0;                            ///< number of threads whose predicate is true
    llvm::BitVector counted;                         ///< warps whose lanes have all arrived
    llvm::SmallVector<LaneMask, kMaxWarps> arriving; ///< for each warp: arrived lanes, until all lanes have arrived
    llvm::SmallVector<LaneMask, kMaxWarps> waiting;  ///< for each warp: waiting lanes, without lanes that only arrived
    /// Join of the clocks that arrived warps released: for shared memory, and for global memory.
    std::array<VectorClock, 2> passedOn;

    explicit Barrier(uint32_t numWarps) : counted(numWarps), arriving(numWarps), waiting(numWarps) {}
    /// Returns the number of threads that have arrived, including threads of partly arrived warps.
    uint32_t arrivedThreads() const;
    uint32_t reduce(host_abi::BarrierReduction reduction) const;
  };
  /// The reduction and the fences that a waiting thread has passed to `wait`, and the result of the reduction.
  struct Waiter {
    Reduction reduction;
    Fences fences;
    uint32_t result = 0;
  };

  uint32_t expectedAt(uint32_t threads) const;
  Waiter &waiterOf(uint32_t warp, unsigned lane) { return waiters[size_t(warp) * lanes.warpSize + lane]; }
  /// Counts the arrival of `lane` at `barrier`, with or without a wait. Reports a fault if the warp arrives twice
  /// before the barrier opens: the barrier would count this warp twice and another warp not at all.
  void count(Lane &lane, Barrier &barrier, uint32_t threads, uint32_t site);
  /// Calls `function(memory, order, lanes, effects)` for shared and global memory, and for each set of lanes in `which`
  /// that have equal fences at `place` (before or after the barrier). `effects` is 0 if the fences do not apply to the
  /// memory.
  template <typename Function>
  void forEachFence(uint32_t warp, LaneMask which, uint32_t Fences::*place, Function function);
  /// Opens `barrier` and wakes the lanes that wait at the barrier. `running`: the current lane, which is not suspended
  /// and must not be woken; null if the current lane has ended.
  void open(Barrier &barrier, const Lane *running);
  /// Returns the state of `barrier` after the barrier has opened. This state contains only the arrivals of partly
  /// arrived warps.
  static Barrier withoutReleased(const Barrier &barrier);

  const Program &program;
  LaneRunner &lanes;
  WarpScheduler &scheduler;
  BlockFaults &faults;
  CopiesToShared &copies;
  BlockOrders orders;
  BlockTiming &timing;
  std::vector<Barrier> barriers; ///< barriers of all blocks of the cluster, ordered by block
  Barrier &barrierAt(const Lane &lane, uint32_t id) {
    return barriers[lane.rank * kMaxNamedBarriers + id % kMaxNamedBarriers];
  }
  std::vector<Waiter> waiters; ///< the state of each waiting thread, indexed by thread
  uint64_t openings = 0;
};

} // namespace hocket::emulator

#endif
