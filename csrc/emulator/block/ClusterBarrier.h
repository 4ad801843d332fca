//===- ClusterBarrier.h - The barrier of all blocks of a cluster -------------------------------===//
//
// A thread arrives (barrier.cluster.arrive), continues, and waits later (barrier.cluster.wait). The barrier opens when
// all threads that have not ended have arrived. A thread may arrive again only after its wait. Therefore no thread
// arrives for the next opening before all threads have arrived for the current opening.
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
  std::vector<State> states;          ///< the state of each thread, indexed by thread
  std::vector<uint64_t> awaited;      ///< for each arrived thread: number of the opening for which it waits
  std::vector<LaneMask> waiting;      ///< for each warp: the lanes that wait at the barrier
  uint32_t arrived = 0, expected = 0; ///< number of arrived threads; number of threads that have not ended
  uint64_t openings = 0;
  /// Joins of the vector clocks that the arrivals released: `arriving` for the next opening of the barrier, `opened`
  /// for the last opening. Index 0 is for shared memory, index 1 for global memory.
  std::array<VectorClock, 2> arriving, opened;
};

} // namespace hocket::emulator

#endif
