//===- WarpOrder.h - At which moment each lane of a block is ----------------------------------------===//
//
// Ties HappensBefore (which moments of warps are ordered) to the lanes of one block after the other: each lane is at a
// moment, and what synchronises lanes moves it on. A fence may order accesses of one memory and not those of the other,
// so shared and global memory have an order each. Where order is not asked for, nothing is kept and nothing happens
// here.
//
// Global memory is also ordered by atomic accesses: an address carries what those that stored there had released.
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
  /// Begins a block. True when the epochs began anew, so that whatever remembers some has to forget them.
  bool begin();
  /// Only where the order is kept.
  const Moment &momentOf(const Lane &lane) const { return *lanes[lane.thread].moment; }
  /// How many epochs further `lane` is than when the block began.
  uint32_t epochOf(const Lane &lane) const {
    return hasMoved ? uint32_t(momentOf(lane).epoch - first) : 0; // most kernels never synchronise
  }
  /// The epoch of all warps when the block began.
  Epoch firstEpoch() const { return first; }

  void fence(const Lane &lane, uint32_t effects);
  /// The lane has ended: it synchronises with nobody any more.
  void finish(const Lane &lane);

  // What synchronises warps calls these in their order. A lane that will not wait arrives. Once its warp has come as a
  // whole, what such lanes had released is passed on, and what those that wait have released now, after a fence with
  // `effects` if there is one. Those that leave receive what has been passed on, before such a fence. `opening` tells
  // one opening of a barrier from all others.
  void arrive(const Lane &lane);
  void passOn(uint32_t warp, LaneMask which, VectorClock &passedOn);
  void waitAtBarrier(uint32_t warp, LaneMask which, uint32_t effects, VectorClock &passedOn);
  void leaveBarrier(uint32_t warp, LaneMask which, const VectorClock &passedOn, uint64_t opening, uint32_t effects);

  // What lanes pass on one by one, at an mbarrier: what `lane` has released so far goes into `passedOn`, and what that
  // holds comes to `lane`. `number` tells one completed phase from all others.
  void releaseTo(const Lane &lane, VectorClock &passedOn);
  void acquireFrom(const Lane &lane, const VectorClock &passedOn, uint64_t number);

  /// An atomic access. `isForeign`: the value came from another block, which may have passed on what any warp of this
  /// one had released.
  struct AtomicAccess {
    uintptr_t address;
    bool acquires, releases, stored, isForeign;
  };
  void access(const Lane &lane, const AtomicAccess &atomic);

private:
  struct LaneState {
    MomentRef moment;
    MomentRef arrival; ///< `moment` at a barrier that it did not wait at, and that its warp has not reached as a whole
  };

  LaneState &stateOf(uint32_t warp, unsigned lane) { return lanes[size_t(warp) * program.warpSize() + lane]; }
  /// Moves lanes to `step(where they are)`, which is asked once for lanes that are together.
  template <typename Step>
  void move(uint32_t warp, LaneMask which, Step step);
  MomentRef release(const MomentRef &moment);
  MomentRef fence(const MomentRef &moment, uint32_t effects);
  /// Whether a barrier orders by itself, as NVIDIA's does.
  bool barriersOrder() const { return program.target->vendor == Vendor::Nvidia; }

  const Program &program;
  std::optional<HappensBefore> order; ///< outlives the moments
  std::vector<LaneState> lanes;       ///< by thread
  Epoch first = 0;
  bool hasMoved = false; ///< a lane is not at its first moment any more
  VectorClock releasedByAll;
  llvm::DenseMap<uintptr_t, VectorClock> variables; ///< what goes with the values of atomic accesses
  uint64_t receipts = 0;
};

/// The orders of both memories, for what synchronises lanes in respect of both.
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
