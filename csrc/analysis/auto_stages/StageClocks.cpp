//===- StageClocks.cpp - Clocks of the slots of a partial plan ----------------------===//
#include "analysis/auto_stages/StageClocks.h"

#include <algorithm>

namespace hocket {

StageClocks::StageClocks(const StageProblem &problem, unsigned numStages, unsigned lag)
    : problem(problem), lag(lag), operandsOf(problem.nodes.size()), parts(numStages) {
  for (const StageUse &use : problem.uses)
    if (use.iterations == 0)
      operandsOf[use.to].push_back(use.from);
}

void StageClocks::add(unsigned stage) {
  const unsigned number = numNodes();
  const StageNode &node = problem.nodes[number];
  Stage &into = parts[stage];
  before.push_back(into);
  int64_t start = into.cursor, lastPart = 0;
  if (node.clocks > 0)
    start = std::max(start, into.freeAt[size_t(node.unit)]);
  if (node.isArrival)
    start = std::max(start, into.asyncEnd);
  for (unsigned from : operandsOf[number]) {
    if (stageOf[from] != stage)
      continue;
    const StageNode &operand = problem.nodes[from];
    const int64_t all = done[from].all - operand.latency + latencyOf(operand, node);
    start = std::max(start, node.parts > 1 ? done[from].first : all);
    lastPart = std::max(lastPart, all);
  }
  const int64_t partClocks = node.clocks / node.parts;
  const int64_t end = std::max(start + node.clocks, lastPart + partClocks);
  into.cursor = end - node.clocks + node.issue;
  if (node.clocks > 0)
    into.freeAt[size_t(node.unit)] = end;
  into.units[size_t(node.unit)] += node.clocks;
  const int64_t available = end + node.latency;
  into.asyncEnd = std::max(into.asyncEnd, node.isAsync ? available : 0);
  into.end = std::max({into.end, into.cursor, into.asyncEnd, node.endsInStage ? available : 0});
  // The model divides a result into eight parts, which become available at equal intervals.
  constexpr int64_t kParts = 8;
  done.push_back({end - node.clocks + node.clocks / kParts + node.latency, available});
  stageOf.push_back(stage);
}

void StageClocks::remove() {
  parts[stageOf.back()] = before.back();
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

int64_t StageClocks::slot(unsigned index) const {
  const UnitClocks units = unitsIn(index);
  const int64_t both = std::max(parts[index].end, parts[laggingStage(index)].end) + problem.slotClocks;
  return std::max(both, *std::ranges::max_element(units));
}

int64_t StageClocks::total() const {
  int64_t sum = 0;
  for (unsigned index = 0; index < parts.size(); ++index)
    sum += slot(index) + (parts[index].isMixed() ? problem.slotClocks : 0);
  return sum;
}

int64_t StageClocks::unevenness() const {
  int64_t sum = 0;
  for (const Stage &part : parts)
    sum += part.end * part.end;
  return sum;
}

int64_t lowerBound(const StageProblem &problem, unsigned numSlots, std::optional<StageUnit> *limit) {
  int64_t bound = int64_t(numSlots) * problem.slotClocks;
  for (const StageNode &node : problem.nodes)
    bound += node.issue;
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
