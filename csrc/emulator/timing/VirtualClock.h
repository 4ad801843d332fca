//===- VirtualClock.h - Whose clock says what: a model of a compute unit in time -----------===//
//
// Each warp has a clock. It moves on when the warp issues work, waits for a unit that another warp keeps busy, for a
// result, or for other warps. A unit works on one thing at a time, in the order in which it was asked:
//
//   Vector, Matrix    one for each SIMD unit, to which warps are dealt in turn; a warp waits for a busy one
//   Shared, Memory    one for all, with a queue: a warp goes on, unless there is too much in it
//
// What is asynchronous occupies its unit, and whoever waits for it goes on when it is done: copies and their groups,
// bulk copies (of any size, whose warp goes on), and products of warpgroups, which each warp's matrix core works on in
// turn.
//
// The warp whose clock is behind must ask first; among equals the one of the higher priority (s_setprio). Warps then
// run as if at the same time, whatever the host does. See BlockTiming.h.
//
// A model (target/CostTable.h): never the speed of any hardware. It knows nothing of bank conflicts, of caches, of
// other blocks on the same compute unit, or of instructions that a back end arranges differently.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_TIMING_VIRTUALCLOCK_H
#define HOCKET_EMULATOR_TIMING_VIRTUALCLOCK_H

#include "conversion/gpu_to_host/TimedEvents.h"

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
    Clocks barrier = 0;                         ///< from the last arrival until warps go on
    Clocks memoryBytes = 64, memoryLatency = 0; ///< of a clock; from the last of them until all have arrived
  };
  /// What a warp has groups of, beside copies.
  enum class Async : uint8_t { Products, Stores, ReadsOfStores };

  VirtualClock(const Model &model, unsigned warps, unsigned results);

  Clocks now(unsigned warp) const { return warps[warp].now; }
  /// Whether `warp` is behind `other`, so that it has to ask first.
  bool isBefore(unsigned warp, unsigned other) const;
  void setPriority(unsigned warp, uint32_t priority) { warps[warp].priority = priority; }

  /// Waits until all of the results are there.
  void waitForResults(unsigned warp, const std::vector<uint32_t> &results);
  /// Waits for the warp's accesses of the memories in `fence`, bits of TimedFence.
  void waitForAccesses(unsigned warp, uint32_t fence);

  /// Gives the work of `event` to its unit and moves on by the time that it takes to issue it. Where the unit is busy
  /// the warp's clock moves to when it is not, and the answer is false: another warp may ask before it does so again.
  bool tryIssue(unsigned warp, const TimedEvent &event);

  /// Makes the copies on `counter` that were issued since the last call a group.
  void commitCopies(unsigned warp, host_abi::CopyCounter counter);
  /// Waits for all groups on `counter` but the newest `outstanding`.
  void waitForCopies(unsigned warp, host_abi::CopyCounter counter, uint32_t outstanding);

  /// When all copies on `counter` that the warp has issued will have arrived.
  Clocks arrivalOfCopies(unsigned warp, host_abi::CopyCounter counter);

  /// A bulk load of so many bytes begins: when they will have arrived.
  Clocks startLoad(unsigned warp, uint64_t bytes);
  void startStore(unsigned warp, uint64_t bytes);
  /// Makes what was issued since the last call a group.
  void commit(unsigned warp, Async what);
  /// Waits for all groups but the newest `outstanding`.
  void waitFor(unsigned warp, Async what, uint32_t outstanding);
  /// When the matrix core begins and ends the product that the warp has issued last.
  std::pair<Clocks, Clocks> lastProduct(unsigned warp) const { return warps[warp].lastProduct; }

  void arrive(unsigned warp, unsigned barrier);
  /// When those that wait at the barrier go on. The next arrival belongs to another opening.
  Clocks open(unsigned barrier);
  void moveTo(unsigned warp, Clocks time);

private:
  static constexpr unsigned kBarriers = 16;

  /// Of the copies on one counter, say: when they have arrived.
  struct Groups {
    Clocks openGroup = 0;       ///< those that are not committed yet
    std::vector<Clocks> groups; ///< committed, in their order

    void add(Clocks done) { openGroup = std::max(openGroup, done); }
    void commit();
    /// When all but the newest `outstanding` are done.
    Clocks doneBut(uint32_t outstanding) const;
  };
  struct Warp {
    Clocks now = 0;
    uint32_t priority = 0;
    Clocks sharedDone = 0, globalDone = 0; ///< all its accesses so far
    std::vector<Groups> copies;            ///< by counter; of those that were used
    std::array<Groups, 3> async;           ///< by Async
    std::pair<Clocks, Clocks> lastProduct = {};
  };

  Clocks &freeAt(unsigned warp, TimedUnit unit);
  Groups &copiesOn(unsigned warp, host_abi::CopyCounter counter);
  /// The way to global memory is busy with so many bytes, after what it was given before. When it is through with them.
  Clocks moveBytes(unsigned warp, uint64_t bytes);

  Model model;
  unsigned numResults;
  std::vector<Warp> warps;
  std::vector<Clocks> resultAt;               ///< by warp, then number
  std::vector<Clocks> vectorFree, matrixFree; ///< by SIMD unit
  Clocks sharedFree = 0, memoryFree = 0;
  std::array<Clocks, kBarriers> lastArrival = {};
};

} // namespace hocket::emulator

#endif
