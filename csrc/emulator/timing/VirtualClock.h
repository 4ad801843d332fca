//===- VirtualClock.h - A timing model of a compute unit -----------------------------------===//
//
// Each warp has a clock. The clock advances when the warp issues work, and when the warp waits: for a unit that another
// warp keeps busy, for a result, or for other warps. A unit processes one operation at a time, in the order of issue:
//
//   Vector, Matrix    one for each SIMD; warps are assigned to SIMDs round-robin; a warp waits for a busy unit
//   Shared, Memory    one for all SIMDs, with a queue: a warp continues unless the queue is too long
//
// Asynchronous work occupies its unit, but the issuing warp continues. A warp that waits for the work resumes when the
// work is complete. The asynchronous operations are copies to shared memory, bulk copies and wgmmas. The tensor core of
// a warp processes wgmmas in order.
//
// The warp with the earliest clock must issue first. If several warps have the earliest clock, the warp with the
// highest priority (s_setprio) must issue first. Warps then behave as if they ran concurrently, and the host's schedule
// has no influence on the clocks. See BlockTiming.h.
//
// The virtual clock is a model (target/CostTable.h) and does not predict the speed of any hardware. The model ignores
// bank conflicts, caches, other blocks on the same compute unit, and instruction scheduling by a back end.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_TIMING_VIRTUALCLOCK_H
#define HOCKET_EMULATOR_TIMING_VIRTUALCLOCK_H

#include "emulator/NamedBarriers.h"
#include "emulator_abi/TimedEvents.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace hocket::emulator {

using Clocks = uint64_t;

class VirtualClock {
public:
  struct Model {
    unsigned simds = 4;
    Clocks queue = 0;
    Clocks barrier = 0; ///< clocks from the last arrival until the warps resume
    /// Bytes per clock of global memory, and clocks from the end of a transfer to its arrival.
    Clocks memoryBytes = 64, memoryLatency = 0;
  };
  /// Kinds of commit groups of a warp, in addition to groups of copies.
  enum class Async : uint8_t { Wgmmas, Stores, ReadsOfStores };

  VirtualClock(const Model &model, unsigned warps, unsigned results);

  Clocks now(unsigned warp) const { return warps[warp].now; }
  /// True if `warp` must issue before `other`.
  bool isBefore(unsigned warp, unsigned other) const;
  void setPriority(unsigned warp, uint32_t priority) { warps[warp].priority = priority; }

  /// Advances the warp's clock to the time at which all `results` are available.
  void waitForResults(unsigned warp, const std::vector<uint32_t> &results);
  /// Advances the warp's clock to the completion of its accesses of the memories in `fence` (bits of TimedFence).
  void waitForAccesses(unsigned warp, uint32_t fence);

  /// Issues the work of `event` to its unit and advances the warp's clock by the issue time. If the unit is busy,
  /// advances the clock to the time at which the unit becomes free, and returns false; the caller must retry after
  /// warps with earlier clocks have run.
  bool tryIssue(unsigned warp, const TimedEvent &event);

  /// Commits the copies on `counter` that were issued since the last commit as a group.
  void commitCopies(unsigned warp, host_abi::CopyCounter counter);
  /// Advances the warp's clock to the completion of all groups on `counter` except the newest `outstanding`.
  void waitForCopies(unsigned warp, host_abi::CopyCounter counter, uint32_t outstanding);

  /// Returns the arrival time of all copies on `counter` that the warp has issued.
  Clocks arrivalOfCopies(unsigned warp, host_abi::CopyCounter counter);

  /// Starts a bulk load of `bytes` bytes and returns its arrival time.
  Clocks startLoad(unsigned warp, uint64_t bytes);
  void startStore(unsigned warp, uint64_t bytes);
  /// Commits the operations of kind `what` that were issued since the last commit as a group.
  void commit(unsigned warp, Async what);
  /// Advances the warp's clock to the completion of all groups of kind `what` except the newest `outstanding`.
  void waitFor(unsigned warp, Async what, uint32_t outstanding);
  /// Returns the begin and the end, on the tensor core, of the wgmma that the warp has issued last.
  std::pair<Clocks, Clocks> lastWgmma(unsigned warp) const { return warps[warp].lastWgmma; }

  void arrive(unsigned warp, unsigned barrier);
  /// Returns the time at which the warps that wait at the barrier resume. Must be called when the barrier opens; later
  /// arrivals count for the next opening.
  Clocks open(unsigned barrier);
  void moveTo(unsigned warp, Clocks time);

private:
  /// Completion times of commit groups, e.g. of the copies on one counter.
  struct Groups {
    Clocks openGroup = 0;       ///< completion time of operations that are not committed yet
    std::vector<Clocks> groups; ///< completion time of each committed group, in order of commits

    void add(Clocks done) { openGroup = std::max(openGroup, done); }
    void commit();
    /// Returns the completion time of all groups except the newest `outstanding`.
    Clocks doneBut(uint32_t outstanding) const;
  };
  struct Warp {
    Clocks now = 0;
    uint32_t priority = 0;
    Clocks sharedDone = 0, globalDone = 0; ///< completion times of the warp's latest accesses
    std::vector<Groups> copies;            ///< groups of copies, indexed by counter up to the highest counter in use
    std::array<Groups, 3> async;           ///< groups of each kind of asynchronous operation, indexed by Async
    std::pair<Clocks, Clocks> lastWgmma = {};
  };

  Clocks &freeAt(unsigned warp, TimedUnit unit);
  Groups &copiesOn(unsigned warp, host_abi::CopyCounter counter);
  /// Queues a transfer of `bytes` bytes behind earlier transfers on the path to global memory. Returns the completion
  /// time.
  Clocks moveBytes(unsigned warp, uint64_t bytes);

  Model model;
  unsigned numResults;
  std::vector<Warp> warps;
  /// Time at which each result is available, indexed by warp * numResults + number of the result.
  std::vector<Clocks> resultAt;
  std::vector<Clocks> vectorFree, matrixFree; ///< times at which the units are free again, indexed by SIMD
  Clocks sharedFree = 0, memoryFree = 0;
  std::array<Clocks, kMaxNamedBarriers> lastArrival = {};
};

} // namespace hocket::emulator

#endif
