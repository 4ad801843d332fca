//===- StageFences.cpp - Selects the slots of a warp pipeline that become fences --===//
//
// Each hazard has a *window* of consecutive slots: a fence in any slot of the window resolves the hazard. The algorithm
// finds the smallest set of slots that contains a slot of each window:
//
//   on a line     Sort the windows by their last slots. Take the last slot of each window that contains no slot taken
//                 before. (One slot of the first window must be taken, and its last slot is in the most other windows.)
//   on a circle   One slot of the shortest window must be taken. For each slot of this window, cut the circle at the
//                 slot: the windows without this slot are on a line. The smallest of the solutions is the result.
//
//===------------------------------------------------------------------------------===//
#include "analysis/warp_pipeline/StageFences.h"

#include <algorithm>

namespace hocket {

namespace {
/// A window consists of the slots first, first + 1, ..., first + length - 1; in a loop, modulo the number of slots.
struct Window {
  unsigned first = 0;
  int64_t length = 0;
};

class Slots {
public:
  explicit Slots(const StageSchedule &schedule) : schedule(schedule) {}

  Window windowOf(const StageHazard &hazard) const {
    int64_t length = hazard.distance - hazard.neededDistance() + 1;
    return {hazard.src + 1, schedule.isLoop ? std::min<int64_t>(length, schedule.numStages) : length};
  }
  bool isHit(const Window &window, unsigned slot) const {
    return (slot + schedule.numStages - window.first % schedule.numStages) % schedule.numStages <
           uint64_t(window.length);
  }
  bool isHitByGiven(const Window &window) const {
    for (unsigned slot = 0; slot < schedule.fenced.size(); ++slot)
      if (schedule.fenced[slot] && isHit(window, slot))
        return true;
    return false;
  }
  std::vector<unsigned> hitOnLine(std::vector<Window> windows, unsigned start) const;
  std::vector<unsigned> hitOnCircle(const std::vector<Window> &windows) const;

private:
  const StageSchedule &schedule;
};
} // namespace

/// Selects slots on the line that begins with slot `start` and wraps around to the slot before `start`. No window may
/// extend across the end of this line.
std::vector<unsigned> Slots::hitOnLine(std::vector<Window> windows, unsigned start) const {
  unsigned count = schedule.numStages;
  auto endOf = [&](const Window &window) { return (window.first + count - start) % count + window.length - 1; };
  std::ranges::sort(windows, {}, endOf);
  std::vector<unsigned> chosen;
  for (const Window &window : windows)
    if (chosen.empty() || !isHit(window, chosen.back()))
      chosen.push_back((endOf(window) + start) % count);
  return chosen;
}

std::vector<unsigned> Slots::hitOnCircle(const std::vector<Window> &windows) const {
  unsigned count = schedule.numStages;
  const Window &shortest = *std::ranges::min_element(windows, {}, &Window::length);
  std::vector<unsigned> best;
  for (int64_t i = shortest.length - 1; i >= 0; --i) {
    unsigned slot = (shortest.first + i) % count;
    std::vector<Window> missed;
    std::ranges::copy_if(windows, std::back_inserter(missed),
                         [&](const Window &window) { return !isHit(window, slot); });
    std::vector<unsigned> chosen = hitOnLine(std::move(missed), slot);
    chosen.push_back(slot);
    if (best.empty() || chosen.size() < best.size())
      best = std::move(chosen);
  }
  return best;
}

std::optional<size_t> findUnsettled(std::span<const StageHazard> hazards) {
  for (size_t i = 0; i < hazards.size(); ++i)
    if (!hazards[i].canBeSettled())
      return i;
  return std::nullopt;
}

std::vector<unsigned> chooseFences(const StageSchedule &schedule, std::span<const StageHazard> hazards) {
  Slots slots(schedule);
  std::vector<Window> open;
  for (const StageHazard &hazard : hazards)
    if (Window window = slots.windowOf(hazard); !slots.isHitByGiven(window))
      open.push_back(window);
  if (open.empty())
    return {};
  std::vector<unsigned> chosen = schedule.isLoop ? slots.hitOnCircle(open) : slots.hitOnLine(std::move(open), 0);
  std::ranges::sort(chosen);
  return chosen;
}

} // namespace hocket
