//===- Rendezvous.h - Operations across the lanes of a warp --------------------------------------===//
//
// A shuffle, vote, reduction, mma.sync or MFMA is a rendezvous: each participating lane passes its operands and waits.
// The last lane to arrive computes the results of all lanes (machine/CrossLane.h) and wakes the other lanes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_RENDEZVOUS_H
#define HOCKET_EMULATOR_BLOCK_RENDEZVOUS_H

#include "emulator/block/LaneRunner.h"
#include "emulator/faults/Fault.h"
#include "emulator/machine/CrossLane.h"

#include <vector>

namespace hocket::emulator {

class Rendezvous {
public:
  explicit Rendezvous(LaneRunner &lanes) : lanes(lanes), rendezvous(lanes.warpCount()) {}

  void begin();
  /// Passes the operands of `lane` to its warp's rendezvous at `site`, and waits for the result.
  uint64_t exchange(Lane &lane, host_abi::CrossLaneOp op, uint64_t value, uint64_t a, uint64_t b, LaneMask members,
                    uint32_t site);
  /// Appends the lanes of `warp` that wait for other lanes, for a deadlock report.
  void appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const;

private:
  /// The rendezvous of one warp. A warp has at most one rendezvous at a time.
  struct Pending {
    LaneMask present = 0;
    uint32_t site = 0;
    CrossLaneOperands operands;
    PerLane results;
  };

  LaneRunner &lanes;
  std::vector<Pending> rendezvous; ///< the rendezvous of each warp, indexed by warp
};

} // namespace hocket::emulator

#endif
