//===- Mbarriers.h - Barriers in shared memory that count arrivals and bytes -------------------===//
//
// A phase of an mbarrier completes when no arrivals and no expected bytes are pending. The next phase then begins at
// once, as in this example:
//
//   init with count 2      phase 0: 2 arrivals pending
//   expect 4096, arrive    phase 0: 1 arrival, 4096 bytes pending
//   arrive                 phase 0: 0 arrivals, 4096 bytes pending; lanes that wait for parity 0 are suspended
//   4096 bytes arrive      phase 1: 2 arrivals pending; lanes that wait for parity 0 resume.
//
// An arrival has release semantics. A wait acquires the vector clocks that the arrivals of the phase released.
//
// By default, asynchronous copies complete late: an arrival in flight reaches its mbarrier only when lanes wait at the
// mbarrier and all lanes of the block wait or spin. Arrivals in flight come from arriveAfterCopies and from the
// registered sources (struct Source).
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

/// Released vector clocks: one for shared memory, one for global memory.
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
  /// Lets `lane` arrive when its outstanding copies have completed. If `increments`, the phase expects one more
  /// arrival.
  void arriveAfterCopies(Lane &lane, uint64_t offset, bool increments, uint32_t site);
  /// Waits until the phase with parity `parity` is complete.
  void wait(Lane &lane, uint64_t offset, uint32_t parity, uint32_t site);

  // The following functions may be called on any fiber.

  /// Performs a release of `lane` and returns the released vector clocks. A lane that waits for a copy that `lane`
  /// starts now acquires these clocks.
  Released releasedBy(const Lane &lane);
  /// Reports a fault of `lane` if the initialization of the mbarrier at `offset` does not happen before the copy that
  /// `lane` starts at `site`.
  void checkIsReady(Lane &lane, uint64_t offset, uint32_t site);
  /// The arrival of `bytes` bytes of a copy that `thread` started at `site`.
  struct Brought {
    uint32_t bytes = 0, site = 0, thread = 0;
    Clocks at = 0; ///< virtual time of the arrival; 0 without a virtual clock
  };
  void completeBytes(uint64_t offset, const Brought &brought, const Released &released);
  /// A component that has arrivals in flight. `next` returns the virtual time of the next arrival at the mbarrier at
  /// `offset` (0 without a virtual clock); nullopt if no arrival is in flight. `bring` performs this arrival.
  struct Source {
    std::function<std::optional<Clocks>(uint64_t offset)> next;
    std::function<void(uint64_t offset)> bring;
  };
  void addSource(Source source) { sources.push_back(std::move(source)); }
  /// Performs one arrival in flight at an mbarrier at which lanes wait; with a virtual clock, the earliest one. Returns
  /// false if no such arrival is in flight. Must be called when all lanes wait or spin.
  bool deliver() { return deliverUntil(~Clocks(0)); }
  /// Appends the lanes of `warp` that wait at an mbarrier, for a deadlock report.
  void appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const;

private:
  /// Arrivals in flight of lanes of one warp. The lanes arrive when their copies have completed.
  struct ComingArrivals {
    uint32_t warp = 0, site = 0;
    LaneMask lanes = 0;
    uint64_t numCopies = 0; ///< number of copies that the warp had started when the lanes called arriveAfterCopies
    uint64_t phase = 0;     ///< phase in which the lanes have arrived
    Released released = {};
    Clocks at = 0; ///< virtual time of the arrival; 0 without a virtual clock
  };
  struct Mbarrier {
    bool isLive = false;
    uint32_t site = 0; ///< site of the last initialization or invalidation
    uint32_t warp = 0; ///< warp that initialized the mbarrier, in its epoch `epoch`
    Epoch epoch = 0;
    uint32_t count = 0, pending = 0;
    int64_t bytes = 0; ///< outstanding bytes
    int64_t expected = 0;
    uint64_t phase = 0;
    /// Joins of the vector clocks that arrivals released: `releasing` in the current phase, `released` in the last
    /// completed phase.
    Released releasing = {}, released = {};
    uint64_t completion = 0;                        ///< number of the last completed phase among all mbarriers
    Clocks completed = 0;                           ///< virtual time at which the last phase completed
    Clocks latest = 0;                              ///< virtual time of the latest arrival in the current phase
    llvm::SmallVector<LaneMask, kMaxWarps> waiting; ///< for each warp: the lanes that wait at the mbarrier
    /// `coming`: arrivals in flight. `arrived`: performed arrivals, whose copies finishCopies must complete.
    std::vector<ComingArrivals> coming, arrived;

    bool isWaitedFor() const;
  };

  /// Returns the mbarrier at `offset`. If there is no live mbarrier, reports a fault of `lane` and does not return.
  Mbarrier &use(Lane &lane, uint64_t offset, uint32_t site);
  void checkOffset(Lane &lane, uint64_t offset, uint32_t site);
  void release(const Lane &lane, Released &released);
  /// Returns a fault with the state of the mbarrier at `offset`.
  BlockFault faultAt(MbarrierMistake mistake, uint64_t offset, uint32_t site, uint32_t thread, int64_t more = 0) const;
  void complete(Mbarrier &mbarrier);
  /// Performs one arrival, as `deliver` does, if its virtual time is at most `time`. Returns false if there is no such
  /// arrival.
  bool deliverUntil(Clocks time);
  /// Completes the copies whose arrivals belong to completed phases. Must be called when a lane has waited for a phase.
  void finishCopies(Mbarrier &mbarrier);
  /// Performs the first element of `mbarrier.coming`: the arrivals of lanes of one warp.
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
  std::map<uint64_t, Mbarrier> mbarriers; ///< the mbarriers, also invalidated ones, indexed by offset
  std::vector<Source> sources;
  uint64_t completions = 0;
  std::minstd_rand random;
};

} // namespace hocket::emulator

#endif
