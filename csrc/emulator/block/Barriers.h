//===- Barriers.h - The barriers of a block, released by arrival count -------------------------===//
//
// As on the hardware, a barrier only counts threads: it does not record which threads arrive, nor at which program
// points. Warps that wait at different lines can therefore release each other, and staggered warp pipelines rely on
// this. A warp is counted when all of its lanes have arrived. If single lanes were counted, a barrier for some of the
// warps could open when half of one warp and half of another warp have arrived, because lanes run one after the other.
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
  /// `threads`: number of threads for which the barrier waits; 0 for all threads of the block. `site`: site of the
  /// arrival.
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
  /// Arrives, waits until the barrier opens, and returns the reduction of the predicates.
  uint32_t wait(Lane &lane, uint32_t id, uint32_t threads, uint32_t site, Reduction reduction, Fences fences);
  /// Must be called when all lanes of a warp have ended. AMD's barrier then no longer waits for the warp.
  void leave();
  /// Appends the lanes of `warp` that wait at a barrier, for a deadlock report.
  void appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const;

private:
  struct Barrier {
    uint32_t arrived = 0;                            ///< threads of warps that have arrived completely
    uint32_t expected = 0;                           ///< number of awaited threads; 0: none has arrived yet
    bool reduces = false;                            ///< true if a thread waits for the reduction
    uint32_t holding = 0;                            ///< number of threads whose predicate is true
    llvm::BitVector counted;                         ///< warps that have arrived completely
    llvm::SmallVector<LaneMask, kMaxWarps> arriving; ///< arrived lanes of warps that have not arrived completely
    llvm::SmallVector<LaneMask, kMaxWarps> waiting;  ///< waiting lanes by warp; excludes lanes that only arrived
    std::array<VectorClock, 2> passedOn;             ///< clocks that the arrived warps had released, by memory

    explicit Barrier(uint32_t numWarps) : counted(numWarps), arriving(numWarps), waiting(numWarps) {}
    /// Number of threads that have arrived, including threads of warps that have not arrived completely.
    uint32_t arrivedThreads() const;
    uint32_t reduce(host_abi::BarrierReduction reduction) const;
  };
  /// The reduction and fences with which a thread waits.
  struct Waiter {
    Reduction reduction;
    Fences fences;
    uint32_t result = 0;
  };

  uint32_t expectedAt(uint32_t threads) const;
  Waiter &waiterOf(uint32_t warp, unsigned lane) { return waiters[size_t(warp) * lanes.warpSize + lane]; }
  /// Counts the arrival of `lane` at `barrier`, with or without a wait. Fails if the warp has already arrived and the
  /// barrier has not opened since, because the barrier would count this warp twice and another warp not at all.
  void count(Lane &lane, Barrier &barrier, uint32_t threads, uint32_t site);
  /// Calls `function(memory, order, lanes, effects)` for each of the two memories, and for each set of lanes with equal
  /// fences at `place` (before or after the barrier). `effects` are empty if the fences do not apply to the memory.
  template <typename Function>
  void forEachFence(uint32_t warp, LaneMask which, uint32_t Fences::*place, Function function);
  /// Opens `barrier` and wakes the lanes that wait at it. `running` is the current lane if it waits at the barrier,
  /// too; it is not woken.
  void open(Barrier &barrier, const Lane *running);
  /// Returns the state of `barrier` after it has opened: only arrivals of warps that have not arrived completely
  /// remain.
  static Barrier withoutReleased(const Barrier &barrier);

  const Program &program;
  LaneRunner &lanes;
  WarpScheduler &scheduler;
  BlockFaults &faults;
  CopiesToShared &copies;
  BlockOrders orders;
  BlockTiming &timing;
  std::vector<Barrier> barriers; ///< barriers of the blocks of a cluster, block after block
  Barrier &barrierAt(const Lane &lane, uint32_t id) {
    return barriers[lane.rank * kMaxNamedBarriers + id % kMaxNamedBarriers];
  }
  std::vector<Waiter> waiters; ///< indexed by thread
  uint64_t openings = 0;
};

} // namespace hocket::emulator

#endif
