//===- BlockTiming.h - Virtual clocks of recorded blocks ---------------------------------------===//
//
// Lanes run one after the other, and all lanes of a warp do the same work. Therefore only lane 0 advances the warp's
// clock. (Work of other lanes in a branch takes no time.) A block that is not recorded has no clock and no state.
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
  /// Returns the clock of a recorded block.
  VirtualClock &clock() { return *virtualClock; }
  const TimedEvent &eventAt(uint32_t number) const { return program.events[number]; }

  /// Returns the value of the warp's clock. In a block that is not recorded, clocks do not advance with time: the value
  /// is the start value plus the number of times that lane 0 of the warp has read the clock.
  Clocks readClock(unsigned warp, unsigned lane);

  void setPriority(unsigned warp, uint32_t priority);
  /// Starts a bulk load of `bytes` bytes and returns its arrival time; 0 if the block is not recorded.
  Clocks startLoad(unsigned warp, uint64_t bytes);
  void startStore(unsigned warp, uint64_t bytes);
  /// Return the current time of `warp`, and the arrival time of all copies that the warp has started on `counter`; 0 if
  /// the block is not recorded.
  Clocks now(unsigned warp) const { return virtualClock ? virtualClock->now(warp) : 0; }
  Clocks arrivalOfCopies(unsigned warp, host_abi::CopyCounter counter);

  void arriveAtBarrier(unsigned warp, unsigned barrier);
  /// Returns the time at which the warps that wait at the barrier resume.
  Clocks openBarrier(unsigned barrier);
  /// Lets a warp that waited at `site` resume; `opened` is the time at which the barrier opened.
  void leaveBarrier(unsigned warp, uint32_t site, Clocks opened);

  /// Performs the steps before the work of `event`: waits for results, copies and accesses; also begins a stage if
  /// `event` is a marker.
  void beginEvent(unsigned warp, const TimedEvent &event);
  /// Adds the slice for the work of `event`, which became ready at `begin` and has been issued.
  void endEvent(unsigned warp, const TimedEvent &event, Clocks begin);

  /// Must be called when all warps have ended. Appends the slices to `timelines`; if `timelines` is null, drops the
  /// slices.
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
