//===- StageFences.h - Selects the slots of a warp pipeline that become fences ----===//
//
// Two groups of warps run the same stages; the high group is `lag` stages behind the low group. Each stage is preceded
// by a *slot*, a barrier that all warps of both groups pass. A slot may be a *fence*: each warp then waits for its own
// accesses before the barrier. Example with lag 1 and four stages:
//
//     time        0      1      2      3      4
//     low         c0  |  c1  |  c2  |  c3  |
//     high            |  c0  |  c1  |  c2  |  c3
//     slot of low        1      2      3
//     slot of high              1      2      3
//
// A *hazard* requires that the accesses of stage `src` are complete before the stage that is `distance` stages later
// starts. Let dst be the stage that is `distance` stages after src. The accesses of the high group, which is behind,
// are complete for all warps once the high group has passed a fence at a slot s > src. The low group enters stage dst
// when the high group passes slot dst - lag. So the slot s must fulfill
//
//     src < s <= src + distance - lag
//
// With distance <= lag there is no such slot: the low group is in stage dst while the high group is in stage src or in
// an earlier stage. No fence can separate such stages src and dst. (If the low group makes the first access and the
// high group the second, later slots would suffice, too; the rule above is stricter.)
//
// The warps of one group pass each slot together. If accesses conflict only within a group, the lag does not matter:
//
//     src < s <= src + distance
//
// Hence a fence between two adjacent stages resolves a hazard within groups between the two stages.
//
// In a loop, the slots repeat: slot 0 is between the last stage of an iteration and the first stage of the next
// iteration, and a distance may be longer than an iteration. A straight-line pipeline has no slot 0.
//
// This analysis maps hazards to slots and does not depend on the IR.
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
  /// Number of stages from `src` to the stage of the other access. The number is zero or negative if accesses of stage
  /// `src` are still in flight when the other stage begins, even within one group.
  int64_t distance = 0;
  /// True if only warps of the same group make conflicting accesses.
  bool isWithinGroup = false;

  /// Returns the minimum distance in stages at which a fence can resolve the hazard.
  int64_t neededDistance(unsigned lag) const { return isWithinGroup ? 1 : int64_t(lag) + 1; }
  bool canBeSettled(unsigned lag) const { return distance >= neededDistance(lag); }
};

struct StageSchedule {
  unsigned numStages = 0;
  unsigned lag = 1;
  bool isLoop = true;
  /// fenced[s] is true if slot s is already a fence. `fenced` is empty if no slot is a fence.
  std::vector<bool> fenced = {};
};

/// Returns the index in `hazards` of the first hazard that no fence can resolve.
std::optional<size_t> findUnsettled(const StageSchedule &schedule, std::span<const StageHazard> hazards);

/// Returns, in ascending order, the smallest set of slots that must become fences, in addition to the existing fences,
/// to resolve all hazards. If several sets of slots are equally small, the function prefers late slots, because more
/// accesses have completed before a late fence. Requires that a fence can resolve each hazard, i.e. that
/// `findUnsettled` returns nullopt.
std::vector<unsigned> chooseFences(const StageSchedule &schedule, std::span<const StageHazard> hazards);

} // namespace hocket

#endif
