//===- BlockTiming.h - Virtual clocks of recorded blocks ---------------------------------------===//
//
// Lanes run one after the other; lane 0 of a warp keeps the warp's clock, as all lanes do the same. (Work that only
// other lanes do, in a branch, takes no time.) A block that is not recorded has no clock and no state.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_TIMING_BLOCKTIMING_H
#define HOCKET_EMULATOR_TIMING_BLOCKTIMING_H

#include "emulator/host/Program.h"
#include "emulator/timing/Timeline.h"
#include "emulator/timing/VirtualClock.h"

#include <optional>

namespace hocket::emulator {

class BlockTiming {
public:
  explicit BlockTiming(const Program &program) : program(program) {}

  /// `start`: value of the kernel's clocks when the block begins.
  void begin(bool records, Clocks start);
  bool isRecording() const { return virtualClock.has_value(); }
  /// The clock of a block that is recorded.
  VirtualClock &clock() { return *virtualClock; }
  const TimedEvent &eventAt(uint32_t number) const { return program.events[number]; }

  /// Returns the warp's clock; without one, the number of times that lane 0 of the warp has read it.
  Clocks readClock(unsigned warp, unsigned lane);

  void setPriority(unsigned warp, uint32_t priority);
  /// Starts a bulk load of `bytes` bytes and returns its arrival time; 0 in a block that is not recorded.
  Clocks startLoad(unsigned warp, uint64_t bytes);
  void startStore(unsigned warp, uint64_t bytes);
  /// Current time of `warp`; the second function returns the arrival time of all copies that it has started on
  /// `counter`. 0 in a block that is not recorded.
  Clocks now(unsigned warp) const { return virtualClock ? virtualClock->now(warp) : 0; }
  Clocks arrivalOfCopies(unsigned warp, host_abi::CopyCounter counter);

  void arriveAtBarrier(unsigned warp, unsigned barrier);
  /// Returns the time at which the warps that wait at the barrier resume.
  Clocks openBarrier(unsigned barrier);
  /// Lets a warp that waited at `site` resume; `opened` is the time at which the barrier opened.
  void leaveBarrier(unsigned warp, uint32_t site, Clocks opened);

  /// Performs the steps before the work of `event`: waits for results, copies and accesses, and markers.
  void beginEvent(unsigned warp, const TimedEvent &event);
  /// Adds the slice for the work of `event`, which became ready at `begin` and has been issued.
  void endEvent(unsigned warp, const TimedEvent &event, Clocks begin);

  /// Called when all warps have ended. Without `timelines` the slices are dropped.
  void finish(uint64_t block, Timelines *timelines);

private:
  const Program &program;
  std::optional<VirtualClock> virtualClock;
  std::vector<WarpTimeline> warps;
  Clocks start = 0;
  std::vector<Clocks> readings; ///< indexed by warp
};

} // namespace hocket::emulator

#endif
