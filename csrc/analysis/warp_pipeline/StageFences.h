//===- StageFences.h - Selects the slots of a warp pipeline that become fences ----===//
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
// A *hazard* requires that the accesses of stage `src` are complete before the stage `distance` stages later starts.
// The high group is the slower one: its c_src is complete for all warps once it has passed a fence at a slot s > src,
// and low enters c_dst as high passes slot dst - lag, so
//
//     src < s <= src + distance - lag
//
// With distance <= lag no slot is left: low is in c_dst while high is in c_src, or even ahead of it. No fence can
// separate such stages. (From low to high, later slots would suffice: the rule above implies those.)
//
// Warps of one group pass each slot together. If the data of a hazard stay within groups, so that accesses of one group
// never conflict with those of the other, the lag does not matter:
//
//     src < s <= src + distance
//
// and the stages may be adjacent, with a fence between them.
//
// In a loop slots repeat: slot 0 is between the last stage and the first of the next iteration, and a distance may be
// longer than an iteration. A straight-line pipeline has no slot 0.
//
// This analysis is independent of the IR: it maps hazards to slots.
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
  /// Number of stages from `src`. Not positive if the two overlap in program order already.
  int64_t distance = 0;
  /// The hazard is within each group.
  bool isWithinGroup = false;

  /// Returns the distance in stages that leaves a slot for a fence.
  int64_t neededDistance(unsigned lag) const { return isWithinGroup ? 1 : int64_t(lag) + 1; }
  bool canBeSettled(unsigned lag) const { return distance >= neededDistance(lag); }
};

struct StageSchedule {
  unsigned numStages = 0;
  unsigned lag = 1;
  bool isLoop = true;
  /// fenced[s]: slot s is a fence anyway. Empty: none is.
  std::vector<bool> fenced = {};
};

/// Returns the index in `hazards` of the first one that cannot be settled by a fence.
std::optional<size_t> findUnsettled(const StageSchedule &schedule, std::span<const StageHazard> hazards);

/// Returns a minimum set of slots that settle all hazards if they become fences, in addition to the existing fences;
/// ascending. Among several such sets it prefers late slots: more accesses are complete then. Requires that
/// `findUnsettled` finds none.
std::vector<unsigned> chooseFences(const StageSchedule &schedule, std::span<const StageHazard> hazards);

} // namespace hocket

#endif
