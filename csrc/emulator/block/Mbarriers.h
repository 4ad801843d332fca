//===- Mbarriers.h - Barriers in shared memory that count arrivals and bytes -------------------===//
//
// A phase is complete when all its arrivals have come, and as many bytes as were expected; the next one begins at once:
//
//   init, count 2          phase 0, 2 pending
//   expect 4096, arrive    phase 0, 1 pending, 4096 bytes
//   arrive                 phase 0, 0 pending, 4096 bytes     lanes that wait for phase 0 (parity 0) are suspended
//   4096 bytes come        phase 1, 2 pending                 they go on; parity 0 is that of the phase before
//
// Arrivals release, and who has waited acquires what the arrivals of the phase have released.
//
// Copies arrive late: when no lane of the block can go on, what is on its way to an mbarrier at which lanes wait
// comes. That is the copies of arriveAfterCopies, and what the `sources` bring.
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

/// What was released at some moment, by memory: shared, global.
using Released = std::array<VectorClock, 2>;

class Mbarriers {
public:
  Mbarriers(const EmulatedLaunch &launch, LaneRunner &lanes, WarpScheduler &scheduler, BlockFaults &faults,
            SharedMemory &shared, CopiesToShared &copies, WarpOrder &globalOrder, BlockTiming &timing);

  void begin(uint64_t block);

  // Called on the fiber of `lane`, the one that runs. `offset`: of the mbarrier in shared memory.

  void init(Lane &lane, uint64_t offset, uint32_t count, uint32_t site);
  void invalidate(Lane &lane, uint64_t offset, uint32_t site);
  void arrive(Lane &lane, uint64_t offset, uint32_t count, uint32_t site);
  /// The phase waits for `bytes` more, and `lane` arrives once.
  void expectBytes(Lane &lane, uint64_t offset, uint32_t bytes, uint32_t site);
  /// `lane` arrives when the copies that it has started have. `increments`: for that the phase waits in addition.
  void arriveAfterCopies(Lane &lane, uint64_t offset, bool increments, uint32_t site);
  /// Returns when the phase of this parity is complete.
  void wait(Lane &lane, uint64_t offset, uint32_t parity, uint32_t site);

  // Called wherever.

  /// Of a copy that `lane` starts: what those who wait for it will know.
  Released releasedBy(const Lane &lane);
  /// Fails `lane`, which starts a copy at `site` that is to arrive in another block, if the mbarrier there may not be
  /// one yet.
  void checkIsReady(Lane &lane, uint64_t offset, uint32_t site);
  /// A copy that was started at `site` by `thread` has brought `bytes`.
  struct Brought {
    uint32_t bytes = 0, site = 0, thread = 0;
    Clocks at = 0; ///< in a block that is recorded
  };
  void completeBytes(uint64_t offset, const Brought &brought, const Released &released);
  /// Of what is on its way to mbarriers. `next`: when some of it reaches the one at an offset (0 where no time is
  /// kept); nothing if there is none. `bring` lets it come, when that is waited for.
  struct Source {
    std::function<std::optional<Clocks>(uint64_t offset)> next;
    std::function<void(uint64_t offset)> bring;
  };
  void addSource(Source source) { sources.push_back(std::move(source)); }
  /// When no lane can go on: lets some of what lanes wait for arrive, what comes first in a block that is recorded.
  /// False if nothing is on its way.
  bool deliver() { return deliverUntil(~Clocks(0)); }
  /// The lanes of `warp` that wait, for the report of a deadlock.
  void appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const;

private:
  /// Arrivals of the lanes of one warp, when their copies are there.
  struct ComingArrivals {
    uint32_t warp = 0, site = 0;
    LaneMask lanes = 0;
    uint64_t numCopies = 0; ///< that the warp had started
    uint64_t phase = 0;     ///< in which they have arrived
    Released released = {};
    Clocks at = 0; ///< when, in a block that is recorded
  };
  struct Mbarrier {
    bool isLive = false;
    uint32_t site = 0; ///< where it was initialised, or invalidated
    uint32_t warp = 0; ///< that has initialised it, when it was at `epoch`
    Epoch epoch = 0;
    uint32_t count = 0, pending = 0;
    int64_t bytes = 0; ///< that have not come
    int64_t expected = 0;
    uint64_t phase = 0;
    Released releasing = {}, released = {};         ///< by the arrivals of this phase, and of the last complete one
    uint64_t completion = 0;                        ///< the number of that one, among all of the block
    Clocks completed = 0;                           ///< when
    Clocks latest = 0;                              ///< of the arrivals of this phase, and of what was brought to it
    llvm::SmallVector<LaneMask, kMaxWarps> waiting; ///< lanes of each warp
    std::vector<ComingArrivals> coming, arrived;    ///< until somebody has waited for them

    bool isWaitedFor() const;
  };

  /// The mbarrier that `lane` uses; does not return if there is none.
  Mbarrier &use(Lane &lane, uint64_t offset, uint32_t site);
  void checkPlace(Lane &lane, uint64_t offset, uint32_t site);
  void release(const Lane &lane, Released &released);
  /// The fault of an mbarrier, as it is.
  BlockFault faultAt(MbarrierMistake mistake, uint64_t offset, uint32_t site, uint32_t thread, int64_t more = 0) const;
  void complete(Mbarrier &mbarrier);
  /// `deliver`, of what comes until then.
  bool deliverUntil(Clocks time);
  /// What copies of complete phases bring is there, for somebody has waited for it.
  void finishCopies(Mbarrier &mbarrier);
  /// The first of those that are coming arrive.
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
  std::map<uint64_t, Mbarrier> mbarriers; ///< by offset; those that were invalidated, too
  std::vector<Source> sources;
  uint64_t completions = 0;
  std::minstd_rand random;
};

} // namespace hocket::emulator

#endif
