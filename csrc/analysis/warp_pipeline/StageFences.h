//===- StageFences.h - Which slots of a warp pipeline need a fence ----------------===//
//
// Two groups of warps run the same stages; the high group is `lag` stages behind the low one. Before each stage is
// a *slot*: a barrier that all warps pass, and that may be a *fence*, which first waits for the warp's own accesses.
// Lag 1, four stages, low above high:
//
//     time        0      1      2      3      4
//     low         c0  |  c1  |  c2  |  c3  |
//     high            |  c0  |  c1  |  c2  |  c3
//     slot of low        1      2      3
//     slot of high              1      2      3
//
// A *hazard* says that what stage `src` does to memory must be complete before the stage `distance` stages later
// starts. The high group is the slower one: its c_src is complete for all once it has passed a fence at a slot s > src,
// and low enters c_dst as high passes slot dst - lag, so
//
//     src < s <= src + distance - lag
//
// With distance <= lag no slot is left: low is in c_dst while high is in c_src, or even ahead of it. Nothing can keep
// such stages apart. (From low to high later slots would do: the rule above implies those.)
//
// Warps of one group pass each slot together. If all that a hazard is about stays within groups, so that what a warp of
// one does concerns no warp of the other, the lag plays no part:
//
//     src < s <= src + distance
//
// and stages may follow each other directly, with a fence between them.
//
// In a loop slots repeat: slot 0 is between the last stage and the first of the next iteration, and a distance may
// be longer than an iteration. In a straight line there is no slot 0.
//
// No IR is known here: hazards in, slots out.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_STAGEFENCES_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_STAGEFENCES_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hocket {

struct StageHazard {
  unsigned src = 0;
  /// In stages from `src`. Not positive where the two overlap in the program's order already.
  int64_t distance = 0;
  /// Each group is concerned by itself.
  bool isWithinGroup = false;

  /// How many stages apart the two must be for a fence to fit between.
  int64_t neededDistance(unsigned lag) const { return isWithinGroup ? 1 : int64_t(lag) + 1; }
  bool canBeSettled(unsigned lag) const { return distance >= neededDistance(lag); }
};

struct StageSchedule {
  unsigned numStages = 0;
  unsigned lag = 1;
  bool isLoop = true;
  /// fenced[s]: slot s is a fence whatever we decide. Empty: none is.
  std::vector<bool> fenced = {};
};

/// Index into `hazards` of one that no fence can settle; of several the first.
std::optional<size_t> findUnsettled(const StageSchedule &schedule, std::span<const StageHazard> hazards);

/// The fewest slots that, made fences besides those that are, settle all hazards; ascending. Of several such sets one
/// with late slots: the later a warp waits for its accesses, the more of them are done.
/// Requires that `findUnsettled` finds none.
std::vector<unsigned> chooseFences(const StageSchedule &schedule, std::span<const StageHazard> hazards);

} // namespace hocket

#endif
