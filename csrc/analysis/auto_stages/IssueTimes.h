//===- IssueTimes.h - When a warp issues the nodes of a stage ----------------------===//
//
// A warp issues the nodes of a stage in program order, except that the back end issues arithmetic between the
// instructions of an MMA of the same stage if neither depends on the other:
//
//     nodes in program order      matrix unit        VALU
//     exp2 of %p                  [ MMA of %a, %b ]  [ exp2 of %p ][ sum of %p ]
//     MMA of %a, %b
//     sum of %p
//
// The clocks of an MMA in which the warp can issue other instructions are its spare clocks (StageNode::spare).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_ISSUETIMES_H
#define HOCKET_ANALYSIS_AUTO_STAGES_ISSUETIMES_H

#include "analysis/auto_stages/StageProblem.h"

#include <algorithm>

namespace hocket {

struct IssueTimes {
  /// Time at which the warp has issued all nodes so far.
  int64_t cursor = 0;
  /// Time at which the warp has issued the last node that arithmetic cannot follow earlier or precede later.
  int64_t ordered = 0;
  /// Clocks before `cursor` in which the warp can still issue arithmetic.
  int64_t spare = 0;

  static bool isMovable(const StageNode &node) { return node.unit == StageUnit::Vector && !node.hasBranches; }

  /// Returns the earliest time at which the warp can issue `node`, whose operands are available at time `ready`.
  int64_t startOf(const StageNode &node, int64_t ready) const {
    if (isMovable(node))
      return std::max(ready, cursor - spare);
    return std::max({ready, ordered, cursor - node.spare});
  }

  /// Adds `node`, whose instructions the warp begins to issue at time `start`.
  void issue(const StageNode &node, int64_t start) {
    const int64_t before = std::max<int64_t>(0, cursor - start);
    if (isMovable(node)) {
      const int64_t beside = std::min({before, spare, node.issue});
      spare -= beside;
      cursor = std::max(cursor, start) + node.issue - beside;
      return;
    }
    // The back end does not move arithmetic across accesses of memory and branches.
    spare = node.unit == StageUnit::Matrix ? spare + node.spare - std::min(before, node.spare) : 0;
    ordered = cursor = std::max(cursor, start + node.issue);
  }
};

/// Returns the clocks by which the arithmetic of a stage delays the MMAs of the stage that the other group executes at
/// the same time. `mmas` is the number of these MMAs; `otherUnits` and `otherMmas` describe the stage with the
/// arithmetic. A SIMD issues no MFMA during arithmetic, and stages without MMAs have the higher priority
/// (StageDecision.h, prioritiesOf). Arithmetic of a stage with MMAs is issued while one of them executes.
/// By the schedule model of attention, the delay is 30 percent of the clocks of plain arithmetic, and 85 percent of the
/// clocks of exponentials.
inline int64_t delayOfMmas(int64_t mmas, const UnitClocks &otherUnits, int64_t otherMmas) {
  return mmas > 0 && otherMmas == 0 ? otherUnits[size_t(StageUnit::Vector)] / 2 : 0;
}

/// Returns the least clocks of a slot in which the two groups together occupy the units for `units`. Accesses come in
/// bursts, and leave one of eight clocks of shared memory and of the path to global memory unused.
inline int64_t clocksOfAccesses(const UnitClocks &units) {
  return std::max(units[size_t(StageUnit::Shared)], units[size_t(StageUnit::Memory)]) * 8 / 7;
}

} // namespace hocket

#endif
