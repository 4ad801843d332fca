//===- BlockTiming.h - Keeps the clocks of blocks that are recorded ----------------------------===//
//
// Lanes run one after the other; lane 0 of a warp keeps its clock, for all of them do the same. (What only other lanes
// do, in a branch, takes no time.) In a block that is not recorded there is no clock, and nothing is kept.
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

  /// `start`: what the kernel's clocks say when the block begins.
  void begin(bool records, Clocks start);
  bool isRecording() const { return virtualClock.has_value(); }
  /// Of a block that is recorded.
  VirtualClock &clock() { return *virtualClock; }
  const TimedEvent &eventAt(uint32_t number) const { return program.events[number]; }

  /// What a kernel reads: the warp's clock or, where none is kept, how often lane 0 of the warp has read it.
  Clocks readClock(unsigned warp, unsigned lane);

  void setPriority(unsigned warp, uint32_t priority);
  /// A bulk copy of so many bytes begins. When a load will have arrived; 0 in a block that is not recorded.
  Clocks startLoad(unsigned warp, uint64_t bytes);
  void startStore(unsigned warp, uint64_t bytes);
  /// The time of `warp`, and when all copies that it has started on `counter` will have arrived; 0 likewise.
  Clocks now(unsigned warp) const { return virtualClock ? virtualClock->now(warp) : 0; }
  Clocks arrivalOfCopies(unsigned warp, host_abi::CopyCounter counter);

  void arriveAtBarrier(unsigned warp, unsigned barrier);
  /// When the warps that wait at the barrier go on.
  Clocks openBarrier(unsigned barrier);
  /// The time at which a warp goes on that waited at `site`; `opened` is that of the barrier.
  void leaveBarrier(unsigned warp, uint32_t site, Clocks opened);

  /// What comes before the work of `event`: waiting for results, copies and accesses, and marks.
  void beginEvent(unsigned warp, const TimedEvent &event);
  /// The slice of the work of `event`, which was asked for at `begin` and is issued.
  void endEvent(unsigned warp, const TimedEvent &event, Clocks begin);

  /// All warps have ended. Without `timelines` nobody is told what they did.
  void finish(uint64_t block, Timelines *timelines);

private:
  const Program &program;
  std::optional<VirtualClock> virtualClock;
  std::vector<WarpTimeline> warps;
  Clocks start = 0;
  std::vector<Clocks> readings; ///< by warp
};

} // namespace hocket::emulator

#endif
