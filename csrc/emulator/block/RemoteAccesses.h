//===- RemoteAccesses.h - Accesses of the shared memory of another block of the cluster --------===//
//
// A block's shared memory is freed when the block ends. An access from another block must therefore happen before the
// owning block ends: a lane of the owning block must have waited for the access, at the cluster barrier or at an
// mbarrier.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_REMOTEACCESSES_H
#define HOCKET_EMULATOR_BLOCK_REMOTEACCESSES_H

#include "emulator/block/LaneRunner.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/races/WarpOrder.h"

#include <map>
#include <vector>

namespace hocket::emulator {

class RemoteAccesses {
public:
  RemoteAccesses(const Program &program, const LaneRunner &lanes, BlockFaults &faults, WarpOrder &order);

  void begin();
  /// Records that `lane` accesses the cluster's shared memory at `offset`. Reports a fault if the owning block has
  /// ended.
  void access(Lane &lane, uint64_t offset, uint32_t site) {
    if (isCluster && offset / program.sharedBytesOfCta() != lane.rank)
      accessOther(lane, uint32_t(offset / program.sharedBytesOfCta()), offset, site);
  }
  /// Must be called when `lane` has ended, before its clock is discarded. If `lane` is the last lane of its block,
  /// reports accesses that do not happen before the block's end.
  void leave(Lane &lane);

private:
  struct Last {
    Epoch epoch = 0;
    uint32_t site = 0, thread = 0;
    uint64_t offset = 0;
  };
  void accessOther(Lane &lane, uint32_t rank, uint64_t offset, uint32_t site);
  bool hasEnded(uint32_t rank) const;

  const Program &program;
  const LaneRunner &lanes;
  BlockFaults &faults;
  WarpOrder &order;
  const bool isCluster;
  std::vector<std::map<uint32_t, Last>> lastOf; ///< for each accessed block: last access of each warp
  std::vector<VectorClock> knownAtEnd;          ///< for each block: join of the vector clocks of its ended lanes
};

} // namespace hocket::emulator

#endif
