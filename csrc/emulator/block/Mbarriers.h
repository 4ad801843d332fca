//===- Mbarriers.h - Barriers in shared memory that count arrivals and bytes -------------------===//
//
// A phase completes when all its arrivals and all expected bytes have come; the next one begins at once:
//
//   init, count 2          phase 0, 2 pending
//   expect 4096, arrive    phase 0, 1 pending, 4096 bytes
//   arrive                 phase 0, 0 pending, 4096 bytes     lanes that wait for phase 0 (parity 0) are suspended
//   4096 bytes come        phase 1, 2 pending                 they resume; parity 0 is that of the previous phase
//
// Arrivals release; a lane that has waited acquires the clocks that the arrivals of the phase have released.
//
// Copies arrive late: only when no lane of the block can run does an arrival in flight reach an mbarrier at which lanes
// wait. Such arrivals are those of arriveAfterCopies and those that the `sources` bring.
//
// PTX ISA 9.0, "Parallel Synchronization and Communication Instructions: mbarrier".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_MBARRIERS_H
#define HOCKET_EMULATOR_BLOCK_MBARRIERS_H

#include "emulator/block/CopiesToShared.h"
#include "emulator/block/LaneRunner.h"
#include "emulator/block/SharedMemory.h"
#include "emulator/block/WarpScheduler.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/timing/BlockTiming.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <functional>
#include <map>
#include <random>
#include <vector>

namespace hocket::emulator {

/// Clocks that were released at some moment, by memory: shared, global.
using Released = std::array<VectorClock, 2>;

class Mbarriers {
public:
  Mbarriers(const EmulatedLaunch &launch, LaneRunner &lanes, WarpScheduler &scheduler, BlockFaults &faults,
            SharedMemory &shared, CopiesToShared &copies, WarpOrder &globalOrder, BlockTiming &timing);

  void begin(uint64_t block);

  // The following functions are called on the fiber of `lane`, the running one. `offset`: of the mbarrier in shared
  // memory.

  void init(Lane &lane, uint64_t offset, uint32_t count, uint32_t site);
  void invalidate(Lane &lane, uint64_t offset, uint32_t site);
  void arrive(Lane &lane, uint64_t offset, uint32_t count, uint32_t site);
  /// Adds `bytes` to the bytes that the phase expects; then `lane` arrives once.
  void expectBytes(Lane &lane, uint64_t offset, uint32_t bytes, uint32_t site);
  /// `lane` arrives when its outstanding copies have. `increments`: the phase waits for one more arrival.
  void arriveAfterCopies(Lane &lane, uint64_t offset, bool increments, uint32_t site);
  /// Returns when the phase of this parity is complete.
  void wait(Lane &lane, uint64_t offset, uint32_t parity, uint32_t site);

  // The following functions may be called on any fiber.

  /// The clocks that a lane acquires when it waits for a copy that `lane` starts now.
  Released releasedBy(const Lane &lane);
  /// Fails `lane`, which starts a copy at `site` to another block, if the mbarrier of the copy may not be initialized
  /// yet.
  void checkIsReady(Lane &lane, uint64_t offset, uint32_t site);
  /// The arrival of `bytes` by a copy that `thread` started at `site`.
  struct Brought {
    uint32_t bytes = 0, site = 0, thread = 0;
    Clocks at = 0; ///< arrival time, in a block that is recorded
  };
  void completeBytes(uint64_t offset, const Brought &brought, const Released &released);
  /// A source of arrivals. `next` returns when an arrival reaches the mbarrier at `offset` (0 where no time is kept),
  /// nullopt if none is in flight; `bring` performs the arrival.
  struct Source {
    std::function<std::optional<Clocks>(uint64_t offset)> next;
    std::function<void(uint64_t offset)> bring;
  };
  void addSource(Source source) { sources.push_back(std::move(source)); }
  /// Called when no lane can run: performs arrivals that lanes wait for, the earliest one in a block that is recorded.
  /// Returns false if none is in flight.
  bool deliver() { return deliverUntil(~Clocks(0)); }
  /// Appends the lanes of `warp` that wait, for a deadlock report.
  void appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const;

private:
  /// Pending arrivals of lanes of one warp, which arrive when their copies have.
  struct ComingArrivals {
    uint32_t warp = 0, site = 0;
    LaneMask lanes = 0;
    uint64_t numCopies = 0; ///< number of copies that the warp had started
    uint64_t phase = 0;     ///< phase in which they have arrived
    Released released = {};
    Clocks at = 0; ///< arrival time, in a block that is recorded
  };
  struct Mbarrier {
    bool isLive = false;
    uint32_t site = 0; ///< where it was initialized or invalidated
    uint32_t warp = 0; ///< warp that initialized it, at its epoch `epoch`
    Epoch epoch = 0;
    uint32_t count = 0, pending = 0;
    int64_t bytes = 0; ///< outstanding bytes
    int64_t expected = 0;
    uint64_t phase = 0;
    Released releasing = {}, released = {};         ///< by arrivals of this phase, of the last completed one
    uint64_t completion = 0;                        ///< number of the last completed phase, among all of the block
    Clocks completed = 0;                           ///< time of the last completed phase
    Clocks latest = 0;                              ///< time of the latest arrival in this phase
    llvm::SmallVector<LaneMask, kMaxWarps> waiting; ///< lanes of each warp
    std::vector<ComingArrivals> coming, arrived;    ///< kept until a lane has waited for them

    bool isWaitedFor() const;
  };

  /// Returns the mbarrier that `lane` uses; does not return if there is none.
  Mbarrier &use(Lane &lane, uint64_t offset, uint32_t site);
  void checkOffset(Lane &lane, uint64_t offset, uint32_t site);
  void release(const Lane &lane, Released &released);
  /// Makes the fault of an mbarrier in its present state.
  BlockFault faultAt(MbarrierMistake mistake, uint64_t offset, uint32_t site, uint32_t thread, int64_t more = 0) const;
  void complete(Mbarrier &mbarrier);
  /// Performs arrivals as `deliver` does, up to `time`.
  bool deliverUntil(Clocks time);
  /// Completes the copies of completed phases, after a lane has waited for them.
  void finishCopies(Mbarrier &mbarrier);
  /// Performs the first pending arrivals.
  void deliverArrivals(uint64_t offset, Mbarrier &mbarrier);
  void letOthersRun(Lane &lane);

  const Program &program;
  const Completion completion;
  const uint64_t seed;
  LaneRunner &lanes;
  WarpScheduler &scheduler;
  BlockFaults &faults;
  SharedMemory &shared;
  CopiesToShared &copies;
  BlockOrders orders;
  BlockTiming &timing;
  std::map<uint64_t, Mbarrier> mbarriers; ///< by offset, including invalidated ones
  std::vector<Source> sources;
  uint64_t completions = 0;
  std::minstd_rand random;
};

} // namespace hocket::emulator

#endif
