//===- Timeline.cpp - Timelines of the warps of a launch ----------------------------------===//
#include "emulator/timing/Timeline.h"

#include <algorithm>
#include <tuple>

namespace hocket::emulator {

void WarpTimeline::add(SliceKind kind, const std::string &file, int line, Clocks begin, Clocks end) {
  size_t &newest = kind == SliceKind::Mma ? lastMma : last;
  if (newest < slices.size()) {
    TimelineSlice &before = slices[newest];
    if (before.kind == kind && before.end == begin && before.line == line && before.file == file &&
        kind != SliceKind::Barrier) {
      before.end = end;
      ++before.count;
      return;
    }
  }
  newest = slices.size();
  slices.push_back({.kind = kind, .count = 1, .label = {}, .file = file, .line = line, .begin = begin, .end = end});
}

void WarpTimeline::beginStage(const std::string &label, const std::string &file, int line, Clocks time) {
  // In the last iteration of a loop, a marker begins a stage that the marker after the loop ends at once. The empty
  // stage between the two markers is dropped.
  if (!stage.label.empty() && time > stage.begin) {
    stage.end = time;
    slices.push_back(stage);
  }
  stage = {.kind = SliceKind::Stage, .count = 1, .label = label, .file = file, .line = line, .begin = time};
}

void Timelines::add(uint64_t block, std::vector<WarpTimeline> &warps) {
  std::lock_guard lock(mutex);
  for (uint32_t warp = 0; warp < warps.size(); ++warp)
    for (TimelineSlice &slice : warps[warp].slices) {
      slice.block = block;
      slice.warp = warp;
      slices.push_back(std::move(slice));
    }
}

std::vector<TimelineSlice> Timelines::take() {
  std::ranges::stable_sort(slices, {}, [](const TimelineSlice &slice) {
    return std::tuple(slice.block, slice.warp, slice.begin, ~slice.end, slice.kind != SliceKind::Stage);
  });
  return std::move(slices);
}

} // namespace hocket::emulator
