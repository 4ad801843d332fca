//===- StageFences.h - Selects the slots of a warp pipeline that become fences ----===//
//
// Groups of warps run the same stages; each group lags behind group 0 by its own number of stages. Each stage is
// preceded by a *slot*, a barrier that all warps of all groups pass. A slot may be a *fence*: each warp then waits for
// its own accesses before the barrier. Example with three groups, lags 0, 1 and 3, and four stages:
//
//     time                0      1      2      3      4      5      6
//     group 0             c0  |  c1  |  c2  |  c3  |      |      |
//     group 1                 |  c0  |  c1  |  c2  |  c3  |      |
//     group 2                 |      |      |  c0  |  c1  |  c2  |  c3
//     slots of group 0           1      2      3
//     slots of group 1                  1      2      3
//     slots of group 2                                1      2      3
//
// A *hazard* requires that the accesses of stage `src` are complete before the stage that is `distance` stages later
// starts. Let dst be the stage that is `distance` stages after src, let two groups make the conflicting accesses, and let
// `lag` be the difference between the lags of the two groups. The accesses of the later group are complete for all warps
// once this group has passed a fence at a slot s > src. The earlier group enters stage dst when the later group passes
// slot dst - lag. So the slot s must fulfill
//
//     src < s <= src + distance - lag
//
// With distance <= lag there is no such slot: one group is in stage dst while the other group is in stage src or in an
// earlier stage. No fence can separate such stages src and dst. (If the group that is ahead makes the first access and
// the other group the second, later slots would suffice, too; the rule above is stricter.) If several pairs of groups
// make conflicting accesses, the largest difference between the lags of a pair determines the slots: the slots for this
// difference are also slots for smaller differences.
//
// The warps of one group, and of groups with equal lags, pass each slot together. If only such warps make conflicting
// accesses, `lag` is 0:
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
  /// Maximum difference between the lags of two groups that make conflicting accesses; 0 if all conflicting accesses
  /// are made by warps of one group, or of groups with equal lags.
  unsigned lag = 1;

  /// Returns the minimum distance in stages at which a fence can resolve the hazard.
  int64_t neededDistance() const { return int64_t(lag) + 1; }
  bool canBeSettled() const { return distance >= neededDistance(); }
};

struct StageSchedule {
  unsigned numStages = 0;
  bool isLoop = true;
  /// fenced[s] is true if slot s is already a fence. `fenced` is empty if no slot is a fence.
  std::vector<bool> fenced = {};
};

/// Returns the index in `hazards` of the first hazard that no fence can resolve.
std::optional<size_t> findUnsettled(std::span<const StageHazard> hazards);

/// Returns, in ascending order, the smallest set of slots that must become fences, in addition to the existing fences,
/// to resolve all hazards. If several sets of slots are equally small, the function prefers late slots, because more
/// accesses have completed before a late fence. Requires that a fence can resolve each hazard, i.e. that
/// `findUnsettled` returns nullopt.
std::vector<unsigned> chooseFences(const StageSchedule &schedule, std::span<const StageHazard> hazards);

} // namespace hocket

#endif
