//===- Mbarriers.h - Barriers in shared memory that count arrivals and bytes -------------------===//
//
// A phase completes when all its arrivals and all expected bytes have arrived. The next phase begins at once:
//
//   init, count 2          phase 0, 2 pending
//   expect 4096, arrive    phase 0, 1 pending, 4096 bytes
//   arrive                 phase 0, 0 pending, 4096 bytes     lanes that wait for phase 0 (parity 0) are suspended
//   4096 bytes come        phase 1, 2 pending                 they resume; parity 0 is now the previous phase
//
// An arrival is a release. A wait acquires the clocks that the arrivals of the phase have released.
//
// Copies arrive late: an arrival in flight reaches an mbarrier at which lanes wait only when no lane of the block can
// run. Arrivals in flight are those of arriveAfterCopies and those of the registered sources (struct Source).
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

  // The following functions are called on the fiber of `lane`, the running lane. `offset`: offset of the mbarrier in
  // shared memory.

  void init(Lane &lane, uint64_t offset, uint32_t count, uint32_t site);
  void invalidate(Lane &lane, uint64_t offset, uint32_t site);
  void arrive(Lane &lane, uint64_t offset, uint32_t count, uint32_t site);
  /// Adds `bytes` to the bytes that the phase expects, and then lets `lane` arrive once.
  void expectBytes(Lane &lane, uint64_t offset, uint32_t bytes, uint32_t site);
  /// Lets `lane` arrive when its outstanding copies have completed. `increments`: the phase waits for one more arrival.
  void arriveAfterCopies(Lane &lane, uint64_t offset, bool increments, uint32_t site);
  /// Waits until the phase with parity `parity` is complete.
  void wait(Lane &lane, uint64_t offset, uint32_t parity, uint32_t site);

  // The following functions may be called on any fiber.

  /// Returns the clocks that a lane acquires when it waits for a copy that `lane` starts now.
  Released releasedBy(const Lane &lane);
  /// Reports a fault of `lane`, which starts a copy at `site` to another block, if the initialization of the copy's
  /// mbarrier does not certainly precede the copy.
  void checkIsReady(Lane &lane, uint64_t offset, uint32_t site);
  /// The arrival of `bytes` by a copy that `thread` started at `site`.
  struct Brought {
    uint32_t bytes = 0, site = 0, thread = 0;
    Clocks at = 0; ///< arrival time, in a block that is recorded
  };
  void completeBytes(uint64_t offset, const Brought &brought, const Released &released);
  /// A source of arrivals. `next` returns the time at which the next arrival reaches the mbarrier at `offset` (0
  /// without a virtual clock); nullopt if no arrival is in flight. `bring` performs the arrival.
  struct Source {
    std::function<std::optional<Clocks>(uint64_t offset)> next;
    std::function<void(uint64_t offset)> bring;
  };
  void addSource(Source source) { sources.push_back(std::move(source)); }
  /// Performs arrivals that lanes wait for; in a recorded block, only the earliest one. Must be called when no lane can
  /// run. Returns false if no arrival is in flight.
  bool deliver() { return deliverUntil(~Clocks(0)); }
  /// Appends the lanes of `warp` that wait at an mbarrier, for a deadlock report.
  void appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const;

private:
  /// Pending arrivals of lanes of one warp. The lanes arrive when their copies have completed.
  struct ComingArrivals {
    uint32_t warp = 0, site = 0;
    LaneMask lanes = 0;
    uint64_t numCopies = 0; ///< number of copies that the warp had started before
    uint64_t phase = 0;     ///< phase in which the lanes have arrived
    Released released = {};
    Clocks at = 0; ///< arrival time, in a block that is recorded
  };
  struct Mbarrier {
    bool isLive = false;
    uint32_t site = 0; ///< site of the initialization or invalidation
    uint32_t warp = 0; ///< warp that initialized the mbarrier, in its epoch `epoch`
    Epoch epoch = 0;
    uint32_t count = 0, pending = 0;
    int64_t bytes = 0; ///< outstanding bytes
    int64_t expected = 0;
    uint64_t phase = 0;
    Released releasing = {}, released = {};         ///< clocks released by arrivals of this phase, of the last one
    uint64_t completion = 0;                        ///< number of the last completed phase, counted over all mbarriers
    Clocks completed = 0;                           ///< time of the last completed phase
    Clocks latest = 0;                              ///< time of the latest arrival in this phase
    llvm::SmallVector<LaneMask, kMaxWarps> waiting; ///< waiting lanes of each warp
    std::vector<ComingArrivals> coming, arrived;    ///< kept until a lane has waited for them

    bool isWaitedFor() const;
  };

  /// Returns the mbarrier at `offset`. Reports a fault of `lane` and does not return if there is none.
  Mbarrier &use(Lane &lane, uint64_t offset, uint32_t site);
  void checkOffset(Lane &lane, uint64_t offset, uint32_t site);
  void release(const Lane &lane, Released &released);
  /// Returns a fault with the state of the mbarrier at `offset`.
  BlockFault faultAt(MbarrierMistake mistake, uint64_t offset, uint32_t site, uint32_t thread, int64_t more = 0) const;
  void complete(Mbarrier &mbarrier);
  /// Performs arrivals up to `time`, like `deliver`.
  bool deliverUntil(Clocks time);
  /// Completes the copies of completed phases after a lane has waited for these phases.
  void finishCopies(Mbarrier &mbarrier);
  /// Performs the arrivals at the front of the mbarrier's queue.
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
