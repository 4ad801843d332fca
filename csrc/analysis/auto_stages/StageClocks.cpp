//===- StageClocks.cpp - Clocks of the slots of a partial plan ----------------------===//
#include "analysis/auto_stages/StageClocks.h"

#include <algorithm>

namespace hocket {

StageClocks::StageClocks(const StageProblem &problem, unsigned numStages, unsigned lag)
    : problem(problem), lag(lag), operandsOf(problem.nodes.size()), carriedOf(problem.nodes.size()),
      movesOf(problem.nodes.size()), parts(numStages), slots(numStages, problem.slotClocks),
      sum(int64_t(numStages) * problem.slotClocks) {
  for (const StageUse &use : problem.uses)
    if (use.iterations == 0)
      operandsOf[use.to].push_back(use.from);
    else
      carriedOf[std::max(use.from, use.to)].push_back(use);
}

void StageClocks::add(unsigned stage) {
  const unsigned number = numNodes();
  const StageNode &node = problem.nodes[number];
  Stage &into = parts[stage];
  const unsigned later = laterSlot(stage);
  before.push_back({into, slots[stage], slots[later], sum, squares});
  int64_t ready = node.isArrival ? into.asyncEnd : 0, lastPart = 0;
  for (unsigned from : operandsOf[number]) {
    if (stageOf[from] != stage)
      continue;
    const StageNode &operand = problem.nodes[from];
    const int64_t all = done[from].all - operand.latency + latencyOf(operand, node);
    ready = std::max(ready, node.parts > 1 ? done[from].first : all);
    lastPart = std::max(lastPart, all);
  }
  int64_t start = into.issued.startOf(node, ready);
  if (node.clocks > 0 && node.unit != StageUnit::Vector)
    start = std::max(start, into.freeAt[size_t(node.unit)]);
  const int64_t partClocks = node.clocks / node.parts;
  const int64_t end = std::max(start + node.clocks, lastPart + partClocks);
  into.issued.issue(node, end - node.clocks);
  if (node.clocks > 0)
    into.freeAt[size_t(node.unit)] = end;
  into.units[size_t(node.unit)] += node.clocks;
  into.blocked += node.spare > 0 ? node.clocks - node.spare : 0;
  into.mmas += node.spare > 0;
  const int64_t available = end + node.latency;
  into.asyncEnd = std::max(into.asyncEnd, node.isAsync ? available : 0);
  into.end = std::max({into.end, into.issued.cursor, into.asyncEnd, node.endsInStage ? available : 0});
  const Stage &old = before.back().stage;
  squares += into.end * into.end - old.end * old.end;
  sum += into.isMixed() && !old.isMixed() ? problem.slotClocks : 0;
  for (unsigned index : {stage, later}) {
    sum -= slots[index];
    slots[index] = clocksOfSlot(index);
    sum += slots[index];
  }
  // The model divides a result into eight parts, which become available at equal intervals.
  constexpr int64_t kParts = 8;
  done.push_back({end - node.clocks + node.clocks / kParts + node.latency, available});
  stageOf.push_back(stage);
  for (const StageUse &use : carriedOf[number])
    if (isMoved(use, stageOf) && movesOf[use.from]++ == 0)
      moves += problem.moveClocks * registersMoved(problem, use);
}

void StageClocks::remove() {
  for (const StageUse &use : carriedOf[numNodes() - 1])
    if (isMoved(use, stageOf) && --movesOf[use.from] == 0)
      moves -= problem.moveClocks * registersMoved(problem, use);
  const Before &state = before.back();
  parts[stageOf.back()] = state.stage;
  slots[laterSlot(stageOf.back())] = state.laterSlot;
  slots[stageOf.back()] = state.slot;
  sum = state.sum;
  squares = state.squares;
  before.pop_back();
  stageOf.pop_back();
  done.pop_back();
}

UnitClocks StageClocks::unitsIn(unsigned slot) const {
  UnitClocks sum = parts[slot].units;
  for (unsigned unit = 0; unit < kStageUnits; ++unit)
    sum[unit] += parts[laggingStage(slot)].units[unit];
  return sum;
}

int64_t StageClocks::clocksOfSlot(unsigned index) const {
  const UnitClocks units = unitsIn(index);
  const Stage &one = parts[index], &other = parts[laggingStage(index)];
  const int64_t both = std::max(one.end + delayOfMmas(one.mmas, other.units, other.mmas),
                                other.end + delayOfMmas(other.mmas, one.units, one.mmas));
  return std::max({both + problem.slotClocks, *std::ranges::max_element(units), clocksOfAccesses(units),
                   units[size_t(StageUnit::Vector)] + one.blocked + other.blocked});
}

int64_t lowerBound(const StageProblem &problem, unsigned numSlots, std::optional<StageUnit> *limit) {
  int64_t bound = int64_t(numSlots) * problem.slotClocks;
  for (const StageNode &node : problem.nodes)
    bound += node.issue - node.spare;
  const UnitClocks total = problem.totalClocks();
  for (unsigned unit = 0; unit < kStageUnits; ++unit)
    if (2 * total[unit] > bound) {
      bound = 2 * total[unit];
      if (limit)
        *limit = StageUnit(unit);
    }
  return bound;
}

} // namespace hocket
