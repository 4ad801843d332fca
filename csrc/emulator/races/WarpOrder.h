//===- WarpOrder.h - Happens-before order of the lanes of a block -----------------------------------===//
//
// Connects HappensBefore (the order of moments of warps) with the lanes of one block at a time: each lane is at
// a moment, and synchronization advances it. A fence may order accesses of one memory only, so shared and
// global memory have separate orders. If the order is not needed, no state is kept and all functions do
// nothing.
//
// Global memory is also ordered by atomic accesses: an address carries the clocks that its writers had released.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_WARPORDER_H
#define HOCKET_EMULATOR_RACES_WARPORDER_H

#include "emulator/block/Lane.h"
#include "emulator/host/Program.h"
#include "emulator/races/HappensBefore.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace hocket::emulator {

class WarpOrder {
public:
  WarpOrder(const Program &program, bool isWanted);

  bool isKept() const { return order.has_value(); }
  /// Begins a block. Returns true if the epochs restart, so that all stored epochs must be discarded.
  bool begin();
  /// Returns the moment of `lane`. Requires that the order is kept.
  const Moment &momentOf(const Lane &lane) const { return *lanes[lane.thread].moment; }
  /// Number of epochs that `lane` has advanced since the block began.
  uint32_t epochOf(const Lane &lane) const {
    return hasMoved ? uint32_t(momentOf(lane).epoch - first) : 0; // most kernels never synchronize
  }
  /// The epoch of all warps when the block began.
  Epoch firstEpoch() const { return first; }

  void fence(const Lane &lane, uint32_t effects);
  /// Called when the lane has ended: it will not synchronize again.
  void finish(const Lane &lane);

  // Components that synchronize warps call the next functions in this order. A lane that will not wait arrives. Once
  // its warp has arrived completely, the warp's clocks are passed on: for arrived lanes the clocks released at their
  // arrival, for waiting lanes the ones released now, after a fence with `effects` if there is one. Lanes that leave
  // receive the clocks passed on, before such a fence. `opening` distinguishes the openings of barriers.
  void arrive(const Lane &lane);
  void passOn(uint32_t warp, LaneMask which, VectorClock &passedOn);
  void waitAtBarrier(uint32_t warp, LaneMask which, uint32_t effects, VectorClock &passedOn);
  void leaveBarrier(uint32_t warp, LaneMask which, const VectorClock &passedOn, uint64_t opening, uint32_t effects);

  // Synchronization of single lanes at an mbarrier: the clocks that `lane` has released are joined into `passedOn`, and
  // `passedOn` is received by `lane`. `number` distinguishes completed phases.
  void releaseTo(const Lane &lane, VectorClock &passedOn);
  void acquireFrom(const Lane &lane, const VectorClock &passedOn, uint64_t number);

  /// An atomic access. `isForeign`: the value was written by another block, which may have passed on the released
  /// clocks of any warp of this block.
  struct AtomicAccess {
    uintptr_t address;
    bool acquires, releases, stored, isForeign;
  };
  void access(const Lane &lane, const AtomicAccess &atomic);

private:
  struct LaneState {
    MomentRef moment;
    MomentRef arrival; ///< `moment` at a barrier it did not wait at, until all its warp has arrived
  };

  LaneState &stateOf(uint32_t warp, unsigned lane) { return lanes[size_t(warp) * program.warpSize() + lane]; }
  /// Moves lanes to `step(moment)`, which is called once for lanes at the same moment.
  template <typename Step>
  void move(uint32_t warp, LaneMask which, Step step);
  MomentRef release(const MomentRef &moment);
  MomentRef fence(const MomentRef &moment, uint32_t effects);
  bool barriersOrder() const { return program.target->barriersOrderMemory; }

  const Program &program;
  std::optional<HappensBefore> order; ///< must outlive the moments
  std::vector<LaneState> lanes;       ///< by thread
  Epoch first = 0;
  bool hasMoved = false; ///< a lane has left its first moment
  VectorClock releasedByAll;
  llvm::DenseMap<uintptr_t, VectorClock> variables; ///< clocks attached to the values of atomic accesses
  uint64_t receipts = 0;
};

/// The orders of both memories, for operations that synchronize both.
struct BlockOrders {
  WarpOrder &shared, &global;

  template <typename Function>
  void forEach(Function function) {
    function(0, shared);
    function(1, global);
  }
};

} // namespace hocket::emulator

#endif
