//===- Meetings.h - Lanes of a warp meet to compute something together -------------------------===//
//
// A shuffle, vote, reduction or matrix product is a meeting: each member brings its operands and waits; the last one
// to come computes the results of all (machine/CrossLane.h) and wakes the others.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_MEETINGS_H
#define HOCKET_EMULATOR_BLOCK_MEETINGS_H

#include "emulator/block/LaneRunner.h"
#include "emulator/faults/Fault.h"
#include "emulator/machine/CrossLane.h"

#include <vector>

namespace hocket::emulator {

class Meetings {
public:
  explicit Meetings(LaneRunner &lanes) : lanes(lanes), meetings(lanes.warpCount()) {}

  void begin();
  /// Brings the operands of `lane` to its warp's meeting at `site` and waits for the result.
  uint64_t meet(Lane &lane, host_abi::CrossLaneOp op, uint64_t value, uint64_t a, uint64_t b, LaneMask members,
                uint32_t site);
  /// The lanes of `warp` that wait for others, for the report of a deadlock.
  void appendStuck(uint32_t warp, std::vector<StuckLanes> &stuck) const;

private:
  /// Of one warp: it has one meeting at a time.
  struct Meeting {
    LaneMask present = 0;
    uint32_t site = 0;
    CrossLaneOperands operands;
    PerLane results;
  };

  LaneRunner &lanes;
  std::vector<Meeting> meetings; ///< by warp
};

} // namespace hocket::emulator

#endif
