//===- ClusterBarrier.h - The barrier of all blocks of a cluster -------------------------------===//
//
// A thread arrives, goes on, and waits later. The barrier opens when all threads that have not ended have arrived; a
// thread arrives again only after it has waited, so one opening is over before the next.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_CLUSTERBARRIER_H
#define HOCKET_EMULATOR_BLOCK_CLUSTERBARRIER_H

#include "emulator/block/LaneRunner.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/races/WarpOrder.h"

#include <array>
#include <vector>

namespace hocket::emulator {

class ClusterBarrier {
public:
  ClusterBarrier(const Program &program, LaneRunner &lanes, BlockFaults &faults, BlockOrders orders);

  void begin();
  void arrive(Lane &lane, bool isRelaxed, uint32_t site);
  void wait(Lane &lane, uint32_t site);
  /// A lane has ended: the barrier does not expect it any longer.
  void leave(Lane &lane);
  /// The lanes of `warp` that wait, for the report of a deadlock.
  void appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const;

private:
  enum class State : uint8_t { Elsewhere, Arrived };

  void openIfComplete();

  LaneRunner &lanes;
  BlockFaults &faults;
  BlockOrders orders;
  std::vector<State> states;          ///< by thread
  std::vector<uint64_t> awaited;      ///< by thread that has arrived: the opening that it is to wait for
  std::vector<LaneMask> waiting;      ///< lanes of each warp
  uint32_t arrived = 0, expected = 0; ///< threads
  uint64_t openings = 0;
  std::array<VectorClock, 2> arriving, opened; ///< what those that arrive have released, by memory
};

} // namespace hocket::emulator

#endif
