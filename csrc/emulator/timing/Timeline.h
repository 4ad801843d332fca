//===- Timeline.h - What the warps of a launch did, and when -----------------------------===//
#ifndef HOCKET_EMULATOR_TIMING_TIMELINE_H
#define HOCKET_EMULATOR_TIMING_TIMELINE_H

#include "emulator/Emulator.h"
#include "emulator/timing/VirtualClock.h"

#include <mutex>
#include <vector>

namespace hocket::emulator {

/// What one warp did, for the slices of a block. What it does several times in a row at one line is one slice.
class WarpTimeline {
public:
  void add(SliceKind kind, const std::string &file, int line, Clocks begin, Clocks end);
  /// Begins a stage of that label, and ends the one before. An empty label begins none.
  void beginStage(const std::string &label, const std::string &file, int line, Clocks time);
  /// Ends the last stage.
  void finish(Clocks time) { beginStage("", "", 0, time); }

  std::vector<TimelineSlice> slices; ///< without block and warp

private:
  TimelineSlice stage; ///< that goes on; without a label none
  size_t last = 0;     ///< what was added last of what the warp does itself, and of products
  size_t lastProduct = 0;
};

/// Of all blocks of a launch.
class Timelines {
public:
  void add(uint64_t block, std::vector<WarpTimeline> &warps);
  /// By block, warp and begin; a stage comes before what is in it. For when all blocks have ended.
  std::vector<TimelineSlice> take();

private:
  std::mutex mutex;
  std::vector<TimelineSlice> slices;
};

} // namespace hocket::emulator

#endif
