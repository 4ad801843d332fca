//===- BlockTiming.h - Keeps the clocks of a block that is being recorded -----------------===//
//
// Lanes run one after the other; lane 0 of a warp keeps its clock, for all of them do the same. (What only other lanes
// do, in a branch, takes no time.) Before it asks a unit, or goes on after having waited for one, every warp that is
// behind runs up to there: BlockRunner::keepTime.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCKTIMING_H
#define HOCKET_EMULATOR_BLOCKTIMING_H

#include "emulator/host/Program.h"
#include "emulator/timing/Timeline.h"
#include "emulator/timing/VirtualClock.h"

namespace hocket::emulator {

class BlockTiming {
public:
  explicit BlockTiming(const Program &program);

  VirtualClock clock;

  /// What comes before the work of `event`: waiting for results, copies and accesses, and marks.
  void begin(unsigned warp, const TimedEvent &event);
  /// The slice of the work of `event`, which was asked for at `begin` and is issued.
  void end(unsigned warp, const TimedEvent &event, Clocks begin);

  void arriveAtBarrier(unsigned warp, unsigned barrier) { clock.arrive(warp, barrier); }
  /// The time at which a warp goes on that waited at `site`; `opened` is that of the barrier.
  void leaveBarrier(unsigned warp, uint32_t site, Clocks opened);

  /// All warps have ended.
  void finish(uint64_t block, Timelines &timelines);

private:
  const Program &program;
  std::vector<WarpTimeline> warps;
};

} // namespace hocket::emulator

#endif
