//===- StageClocks.h - Clocks of the slots of a partial plan ------------------------===//
//
// In slot s, one group of warps executes stage s while the other group executes stage s - lag. The slot takes at least
// as long as each of the two stages alone, and at least as long as the two stages together occupy any unit:
//
//     slot(s) = max(max(stage(s), stage(s - lag)) + barrier, unit(s) + unit(s - lag))        for the busiest unit
//
// Two rules of IssueTimes.h prolong slots: arithmetic of one group delays MMAs of the other group, and accesses of
// memory occupy at most a part of a slot.
//
// A value that the loop carries to the next iteration may need copies of registers (isMoved). Their clocks are added to
// those of the slots.
//
// A stage ends for its group when the last operation of the stage has been issued. The execution unit of this last
// operation may still work during the barrier.
//
// A stage with both MMAs and accesses of memory costs additional clocks (StageProblem::slotClocks): the back end
// interleaves MMAs and accesses, and MMAs then wait for accesses more often.
// IssueTimes.h describes when a group issues the nodes of a stage. A node starts when its unit is free and its operands
// from the same stage are available.
//
// Nodes are added in program order and removed in reverse order. A node changes the clocks of the two slots in which a
// group executes its stage; the clocks of the other slots are kept. The sum of the clocks of all slots never decreases
// when a node is added, so the sum for a partial plan is a lower bound for all its completions.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_STAGECLOCKS_H
#define HOCKET_ANALYSIS_AUTO_STAGES_STAGECLOCKS_H

#include "analysis/auto_stages/IssueTimes.h"

namespace hocket {

class StageClocks {
public:
  StageClocks(const StageProblem &problem, unsigned numStages, unsigned lag);

  /// Adds the next node to `stage`.
  void add(unsigned stage);
  /// Removes the node that was added last.
  void remove();
  unsigned numNodes() const { return unsigned(stageOf.size()); }
  const std::vector<unsigned> &stages() const { return stageOf; }

  /// Returns the clocks of an iteration, summed over all slots.
  int64_t total() const { return moves + sum; }
  /// Returns the sum of the squared clocks of all stages. Among plans with the same total clocks, the plan with the
  /// smallest sum divides the work most evenly.
  int64_t unevenness() const { return squares; }
  /// Returns the clocks of slot `index`.
  int64_t slot(unsigned index) const { return slots[index]; }
  /// For each unit, returns the clocks for which the two groups together occupy the unit in slot `slot`.
  UnitClocks unitsIn(unsigned slot) const;

private:
  struct Stage {
    UnitClocks units{}, freeAt{};
    IssueTimes issued;
    int64_t end = 0;
    /// Clocks for which MMAs prevent all warps of their SIMD from issuing arithmetic.
    int64_t blocked = 0;
    /// Number of MMAs that leave clocks to arithmetic (StageNode::spare).
    int64_t mmas = 0;
    /// Time at which the results of all asynchronous MMAs of the stage are available.
    int64_t asyncEnd = 0;
    bool isMixed() const { return isMixedStage(units); }
  };
  struct Done {
    /// Times at which the first part of the node's result, and the whole result, are available.
    int64_t first = 0, all = 0;
  };
  /// State before a node was added: of the stage of the node, and of the sums.
  struct Before {
    Stage stage;
    int64_t slot = 0, laterSlot = 0, sum = 0, squares = 0;
  };
  unsigned laggingStage(unsigned slot) const { return (slot + parts.size() - lag) % unsigned(parts.size()); }
  /// Returns the slot in which the lagging group executes stage `stage`.
  unsigned laterSlot(unsigned stage) const { return (stage + lag) % unsigned(parts.size()); }
  int64_t clocksOfSlot(unsigned index) const;

  const StageProblem &problem;
  unsigned lag;
  std::vector<std::vector<unsigned>> operandsOf;
  /// For each node, the uses of loop-carried values between the node and nodes that precede it in the program.
  std::vector<std::vector<StageUse>> carriedOf;
  /// For each node, the number of uses for which its result is moved (isMoved), and the clocks of all moves.
  std::vector<unsigned> movesOf;
  int64_t moves = 0;
  std::vector<Stage> parts;
  /// slots[s] contains the clocks of slot s. `sum` is the sum of these clocks and of the additional clocks of stages with
  /// both MMAs and accesses of memory; `squares` is the sum of the squared clocks of all stages.
  std::vector<int64_t> slots;
  int64_t sum = 0, squares = 0;
  std::vector<unsigned> stageOf;
  std::vector<Done> done;
  std::vector<Before> before; ///< for each added node, the state before the node was added
};

/// Returns a lower bound of the clocks of plans in which each group passes `numSlots` barriers in an iteration. The bound
/// is the larger of two times: the time for which both groups occupy the busiest unit, and the time in which one group
/// issues all nodes and passes all barriers. If the busiest unit determines the bound, sets `limit` to this unit.
int64_t lowerBound(const StageProblem &problem, unsigned numSlots, std::optional<StageUnit> *limit = nullptr);

} // namespace hocket

#endif
