//===- ClusterBarrier.h - The barrier of all blocks of a cluster -------------------------------===//
//
// A thread arrives, continues, and waits later. The barrier opens when all threads that have not ended have arrived. A
// thread arrives again only after it has waited, so all threads have arrived for one opening before any thread arrives
// for the next one.
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
  /// Must be called when a lane has ended. The barrier then no longer waits for the lane.
  void leave(Lane &lane);
  /// Appends the lanes of `warp` that wait at the barrier, for a deadlock report.
  void appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const;

private:
  enum class State : uint8_t { Elsewhere, Arrived };

  void openIfComplete();

  LaneRunner &lanes;
  BlockFaults &faults;
  BlockOrders orders;
  std::vector<State> states;          ///< indexed by thread
  std::vector<uint64_t> awaited;      ///< by thread that has arrived: number of the awaited opening
  std::vector<LaneMask> waiting;      ///< waiting lanes of each warp
  uint32_t arrived = 0, expected = 0; ///< numbers of threads
  uint64_t openings = 0;
  std::array<VectorClock, 2> arriving, opened; ///< clocks that arrived threads have released, by memory
};

} // namespace hocket::emulator

#endif
