//===- Timeline.h - Timelines of the warps of a launch -----------------------------------===//
#ifndef HOCKET_EMULATOR_TIMING_TIMELINE_H
#define HOCKET_EMULATOR_TIMING_TIMELINE_H

#include "emulator/Emulator.h"
#include "emulator/timing/VirtualClock.h"

#include <mutex>
#include <vector>

namespace hocket::emulator {

/// The slices of one warp. Consecutive work of one kind at one line is one slice.
class WarpTimeline {
public:
  void add(SliceKind kind, const std::string &file, int line, Clocks begin, Clocks end);
  /// Ends the current stage. Begins a stage with the label `label`, unless the label is empty.
  void beginStage(const std::string &label, const std::string &file, int line, Clocks time);
  /// Ends the current stage.
  void finish(Clocks time) { beginStage("", "", 0, time); }

  std::vector<TimelineSlice> slices; ///< the members `block` and `warp` of these slices are not set

private:
  TimelineSlice stage; ///< the current stage; its label is empty if there is no current stage
  size_t last = 0;     ///< index of the last slice of the warp's own work
  size_t lastMma = 0;  ///< index of the last slice of a wgmma
};

/// The timelines of all blocks of a launch.
class Timelines {
public:
  void add(uint64_t block, std::vector<WarpTimeline> &warps);
  /// Returns the slices ordered by block, warp and begin; a stage precedes its slices. Must be called after all blocks
  /// have ended.
  std::vector<TimelineSlice> take();

private:
  std::mutex mutex;
  std::vector<TimelineSlice> slices;
};

} // namespace hocket::emulator

#endif
