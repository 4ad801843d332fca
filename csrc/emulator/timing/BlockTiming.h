//===- BlockTiming.h - Virtual clocks of recorded blocks ---------------------------------------===//
//
// The emulator runs lanes one after the other, and all lanes of a warp do the same work. Therefore only lane 0 advances
// the clock of its warp. Work in a branch that lane 0 does not take has no duration. A block that is not recorded has
// no virtual clock.
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

  /// `start`: value that the kernel reads from its clocks when the block begins.
  void begin(bool records, Clocks start);
  bool isRecording() const { return virtualClock.has_value(); }
  /// Returns the clock of a recorded block.
  VirtualClock &clock() { return *virtualClock; }
  const TimedEvent &eventAt(uint32_t number) const { return program.events[number]; }

  /// Returns the value that the kernel reads from the warp's clock. In a block that is not recorded, clocks do not
  /// advance with time: the value is the start value plus the number of times that lane 0 of the warp has read the
  /// clock.
  Clocks readClock(unsigned warp, unsigned lane);

  void setPriority(unsigned warp, uint32_t priority);
  /// Starts a bulk load of `bytes` bytes and returns its arrival time; 0 if the block is not recorded.
  Clocks startLoad(unsigned warp, uint64_t bytes);
  void startStore(unsigned warp, uint64_t bytes);
  /// `now` returns the current time of `warp`. `arrivalOfCopies` returns the time at which all copies that the warp has
  /// started on `counter` arrive. Both return 0 if the block is not recorded.
  Clocks now(unsigned warp) const { return virtualClock ? virtualClock->now(warp) : 0; }
  Clocks arrivalOfCopies(unsigned warp, host_abi::CopyCounter counter);

  void arriveAtBarrier(unsigned warp, unsigned barrier);
  /// Returns the time at which the warps that wait at the barrier resume.
  Clocks openBarrier(unsigned barrier);
  /// Advances the clock of a warp that waited at the barrier of `site` to `opened`, the result of openBarrier. Adds a
  /// slice for the wait to the warp's timeline.
  void leaveBarrier(unsigned warp, uint32_t site, Clocks opened);

  /// Performs the steps that precede the work of `event`: waits for results, copies and accesses, and commits groups.
  /// Begins a stage if `event` is the marker of a stage.
  void beginEvent(unsigned warp, const TimedEvent &event);
  /// Adds a slice for `event` to the warp's timeline. Must be called when the work of `event` has been issued. `begin`
  /// is the time at which the work became ready.
  void endEvent(unsigned warp, const TimedEvent &event, Clocks begin);

  /// Must be called when all warps have ended. Appends the timelines of the warps to `timelines`; if `timelines` is
  /// null, drops them.
  void finish(uint64_t block, Timelines *timelines);

private:
  const Program &program;
  std::optional<VirtualClock> virtualClock;
  std::vector<WarpTimeline> warps;
  Clocks start = 0;
  std::vector<Clocks> readings; ///< for each warp: number of times that lane 0 has read the clock
};

} // namespace hocket::emulator

#endif
