//===- StageProblem.h - The operations of a loop, to be divided into stages --------===//
//
// A StageProblem describes the body of a loop without its IR: nodes, each of which occupies one execution unit, and
// ordering constraints (orders) that the stages of a warp pipeline must fulfill. A plan assigns each node to one of N
// stages, and each wait for asynchronous copies to a slot.
//
//     node           unit       plan with N = 2, lag 1
//     0  read a      shared     stage 0
//     1  read b      shared     stage 0
//     2  copy next   memory     stage 0            wait in slot 1
//     3  MMA         matrix     stage 1
//
// An *order* requires a minimum distance in stages from node `from` in one iteration to node `to` in the same or a
// later iteration:
//
//     iterations * N + stage(to) - stage(from) >= needed
//
// `needed` is 0 if data passes within a warp, 1 if data passes between warps of one group, and lag + 1 if data passes
// between the groups (StageFences.h).
//
// A *wait* covers all groups of copies up to a given group number. The groups that the current iteration commits are
// numbered from 1; the groups of earlier iterations have the numbers 0, -1, ... A wait may move to any slot at which
// the groups that it covers have been committed. Slot s is before stage s; slot -1 is the last slot of the previous
// iteration.
//
// A *signal* is a copy that completes at an mbarrier. Each warp waits for the mbarrier itself, so a node waits for the
// copy, and no slot does.
//
// In an *exclusive* stage, only one of the two groups executes at a time (PingPongHazards.h). A plan with exclusive
// stages has no slots and no waits between stages.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_STAGEPROBLEM_H
#define HOCKET_ANALYSIS_AUTO_STAGES_STAGEPROBLEM_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hocket {

/// The execution units of a compute unit (AMD) or SM (NVIDIA). Each SIMD has a matrix and a vector unit; the SIMDs
/// share the other units.
enum class StageUnit : uint8_t { Matrix, Vector, Shared, Memory };
inline constexpr unsigned kStageUnits = 4;
/// Returns "matrix", "vector", "shared" or "memory".
std::string_view nameOf(StageUnit unit);

using UnitClocks = std::array<int64_t, kStageUnits>;

/// True if a stage that occupies the units for these clocks has both MMAs and accesses of memory.
inline bool isMixedStage(const UnitClocks &units) {
  return units[size_t(StageUnit::Matrix)] > 0 &&
         (units[size_t(StageUnit::Shared)] > 0 || units[size_t(StageUnit::Memory)] > 0);
}

struct StageNode {
  StageUnit unit = StageUnit::Vector;
  /// Clocks for which the warps of one group occupy the unit.
  int64_t clocks = 0;
  /// Clocks from the issue of the node until a warp can issue its next operation.
  int64_t issue = 0;
  /// Clocks of `issue` during which the warp can issue arithmetic that does not depend on the node. Only MMAs that are
  /// not asynchronous have such clocks.
  int64_t spare = 0;
  /// Clocks from the end of the work in the unit until the result can be used.
  int64_t latency = 0;
  /// Number of parts in which the node consumes the operand that becomes available last. If there are several parts,
  /// the node can start when the first part is available.
  int64_t parts = 1;
  /// Registers per lane that the results of the node occupy until their last use.
  int64_t registers = 0;
  /// True if the results of the node must be available at the end of its stage (reads of shared memory).
  bool endsInStage = false;
  /// True for asynchronous MMAs. With stages, the MMA must be complete at the end of its stage. Without stages, the MMA
  /// must be complete when its result is used, or when its operands in shared memory are overwritten.
  bool isAsync = false;
  /// True if the code of the node has branches. No instruction moves across a branch.
  bool hasBranches = false;
  /// True for arrivals at mbarriers. In a stage, waits for all earlier asynchronous MMAs precede the arrival.
  bool isArrival = false;

  bool operator==(const StageNode &) const = default;
};

/// Returns the clocks from the end of node `from` in its unit until node `to` can use the result. An asynchronous MMA can
/// accumulate to the result of another one without waiting for the latency.
inline int64_t latencyOf(const StageNode &from, const StageNode &to) {
  return from.isAsync && to.isAsync ? 0 : from.latency;
}

/// The relation between the warps that exchange data. Later enumerators require larger distances in stages.
enum class StageDistance : uint8_t { SameWarp, WithinGroup, BetweenGroups };

struct StageOrder {
  unsigned from = 0, to = 0;
  int64_t iterations = 0;
  StageDistance distance = StageDistance::SameWarp;

  bool operator==(const StageOrder &) const = default;

  int64_t needed(unsigned lag) const {
    return distance == StageDistance::SameWarp ? 0 : distance == StageDistance::WithinGroup ? 1 : int64_t(lag) + 1;
  }
};

/// A use, by node `to`, of values in registers that node `from` has computed `iterations` iterations earlier.
/// `registers` is the number of registers of these values, which may be a part of the results of node `from`.
struct StageUse {
  unsigned from = 0, to = 0;
  int64_t iterations = 0;
  int64_t registers = INT32_MAX;

  bool operator==(const StageUse &) const = default;
};

/// An access by node `to` that must follow a wait for copies; the wait is executed `iterations` iterations before the
/// access.
struct StageArrival {
  unsigned to = 0;
  int64_t iterations = 0;
  StageDistance distance = StageDistance::BetweenGroups;

  bool operator==(const StageArrival &) const = default;

  int64_t needed(unsigned lag) const { return StageOrder{0, 0, 0, distance}.needed(lag); }
};

struct StageWait {
  /// Counter on which the wait waits, as an index into StageProblem::commits.
  unsigned counter = 0;
  /// The number of the last group of copies that the wait covers.
  int64_t covers = 0;
  /// Number of nodes that precede the wait in the loop without stages.
  unsigned position = 0;
  std::vector<StageArrival> arrivals;

  bool operator==(const StageWait &) const = default;
};

struct StageProblem {
  /// The nodes in program order. If an element of `orders` or `uses` has 0 iterations, its node `from` precedes its
  /// node `to`.
  std::vector<StageNode> nodes;
  std::vector<StageOrder> orders;
  std::vector<StageUse> uses;
  std::vector<StageWait> waits;
  /// signals[i]: node `to` waits at an mbarrier for the copy that node `from` has started `iterations` iterations
  /// earlier.
  std::vector<StageUse> signals;
  /// commits[c] contains the nodes that commit a group of copies on counter c, in program order.
  std::vector<std::vector<unsigned>> commits;
  /// Clocks of the barrier of a slot, and of the issue of the instructions around this barrier.
  int64_t slotClocks = 0;
  /// Clocks of the instructions that count iterations and branch back to the beginning of the loop.
  int64_t loopClocks = 0;
  /// Clocks in which a warp copies one register to another.
  int64_t moveClocks = 0;
  /// Maximum number of registers per lane that the results of all nodes may occupy at once.
  int64_t registerLimit = INT64_MAX;

  bool operator==(const StageProblem &) const = default;

  UnitClocks totalClocks() const;
};

struct StagePlan {
  unsigned numStages = 0;
  /// Number of stages by which the high group (warps 4 to 7) lags behind the low group; 0 for a loop without stages.
  unsigned lag = 1;
  std::vector<unsigned> stageOf;
  /// waitSlots[i] is the slot of wait i. With N stages, slots for waits are numbered from 1 - N to N - 1; a wait at the
  /// end of a loop without stages has slot N. outstanding[i] is the number of groups that wait i leaves in flight.
  std::vector<int64_t> waitSlots;
  std::vector<int64_t> outstanding;
  /// exclusive[s] is true if stage s is exclusive; empty if no stage is.
  std::vector<bool> exclusive = {};

  bool isPingPong() const { return !exclusive.empty(); }
};

/// True if the stages of `plan` satisfy `order`. Both nodes of `order` must have a stage in `plan`.
inline bool isKept(const StageOrder &order, const StagePlan &plan) {
  return order.iterations * plan.numStages + plan.stageOf[order.to] - plan.stageOf[order.from] >=
         order.needed(plan.lag);
}

/// True if `use` is the use of a loop-carried value that another stage precedes, in the same iteration, in which the next
/// value is computed. The two values then occupy different registers, and the end of each iteration copies the next
/// value to the registers of the first one.
inline bool isMoved(const StageUse &use, const std::vector<unsigned> &stageOf) {
  return use.iterations == 1 && stageOf[use.to] > stageOf[use.from];
}

/// Returns the registers that `use` copies at the end of each iteration if it is moved.
inline int64_t registersMoved(const StageProblem &problem, const StageUse &use) {
  return std::min(use.registers, problem.nodes[use.from].registers);
}

/// Moves each wait to the latest slot that is early enough for all accesses that must follow the wait
/// (StageWait::arrivals). No two waits share a slot. Returns false if no slot is early enough for some wait.
bool placeWaits(const StageProblem &problem, StagePlan &plan);

/// Returns a plan that represents the loop without stages. Each part of the loop between two barriers counts as a
/// stage, which both groups execute at the same time.
StagePlan planWithoutStages(const StageProblem &problem);

} // namespace hocket

#endif
