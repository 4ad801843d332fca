//===- WarpOrder.h - Happens-before order of the lanes of a block -----------------------------------===//
//
// Tracks the clock state (HappensBefore.h) of each lane of one block at a time. Synchronization advances the clock
// state of a lane. A fence may order accesses of only one memory, so shared and global memory each have a WarpOrder. If
// the order is not needed, no state is kept and all functions do nothing.
//
// Atomic accesses also order accesses of global memory: the value at an address carries the clocks that its writers had
// released.
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
  /// Sets all lanes to the first clock state of a new block. Returns true if the epochs restart, so that all stored
  /// epochs must be discarded.
  bool begin();
  /// Returns the clock state of `lane`. Requires that isKept() is true.
  const ClockState &clocksOf(const Lane &lane) const { return *lanes[lane.thread].clocks; }
  /// Returns the number of epochs by which `lane` has advanced since the block began.
  uint32_t epochOf(const Lane &lane) const {
    return hasMoved ? uint32_t(clocksOf(lane).epoch - first) : 0; // a fast path, because most kernels never synchronize
  }
  /// Returns the epoch of all warps at the beginning of the block.
  Epoch firstEpoch() const { return first; }

  void fence(const Lane &lane, uint32_t effects);
  /// Must be called when the lane has ended.
  void finish(const Lane &lane);

  // Components that synchronize warps call these functions in the order of their declarations. `arrive` records that a
  // lane arrives without waiting. When all lanes of a warp have arrived, `passOn` and `waitAtBarrier` join the lanes'
  // released clocks into `passedOn`. `passOn` is for lanes that do not wait: it joins the clocks that the lanes had
  // released at their arrival. `waitAtBarrier` is for lanes that wait: it joins the clocks that the lanes release at
  // this call. Its parameter `effects` has the effects of a fence before the barrier, or 0. When the barrier opens,
  // `leaveBarrier` lets the lanes receive `passedOn`. Its parameter `effects` has the effects of a fence after the
  // barrier, or 0. `opening` is the number of this opening among the openings of all barriers.
  void arrive(const Lane &lane);
  void passOn(uint32_t warp, LaneMask which, VectorClock &passedOn);
  void waitAtBarrier(uint32_t warp, LaneMask which, uint32_t effects, VectorClock &passedOn);
  void leaveBarrier(uint32_t warp, LaneMask which, const VectorClock &passedOn, uint64_t opening, uint32_t effects);

  // Synchronization of single lanes at an mbarrier: `releaseTo` joins the clocks that `lane` has released into
  // `passedOn`; `acquireFrom` lets `lane` receive `passedOn`. `number` identifies the completed phase of an mbarrier,
  // or the opening of a cluster barrier.
  void releaseTo(const Lane &lane, VectorClock &passedOn);
  void acquireFrom(const Lane &lane, const VectorClock &passedOn, uint64_t number);

  /// An atomic access of global memory. `isForeign`: true if another block wrote the value, which may then carry clocks
  /// that warps of this block released earlier.
  struct AtomicAccess {
    uintptr_t address;
    bool acquires, releases, stored, isForeign;
  };
  void access(const Lane &lane, const AtomicAccess &atomic);

private:
  struct LaneState {
    ClockStateRef clocks;
    ClockStateRef arrival; ///< clock state at the lane's arrival without a wait; passOn joins its released clocks
  };

  LaneState &stateOf(uint32_t warp, unsigned lane) { return lanes[size_t(warp) * program.warpSize() + lane]; }
  /// Replaces the clock state of each lane in `which` by the result of `step(clock state)`. Calls `step` only once for
  /// all lanes that have equal clock states.
  template <typename Step>
  void move(uint32_t warp, LaneMask which, Step step);
  ClockStateRef release(const ClockStateRef &clocks);
  ClockStateRef fence(const ClockStateRef &clocks, uint32_t effects);
  bool barriersOrder() const { return program.target->barriersOrderMemory; }

  const Program &program;
  std::optional<HappensBefore> order; ///< must outlive the clock states of `lanes`
  std::vector<LaneState> lanes;       ///< the state of each lane, indexed by thread
  Epoch first = 0;
  bool hasMoved = false; ///< true if a lane has left its first clock state
  VectorClock releasedByAll;
  llvm::DenseMap<uintptr_t, VectorClock> variables; ///< clocks attached to the values of atomic accesses
  uint64_t receipts = 0;
};

/// The orders of accesses of shared memory and of global memory, for operations that synchronize both.
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
