//===- StageRegisters.cpp - Registers that results occupy in the stages of a plan --===//
#include "analysis/auto_stages/StageRegisters.h"

#include <algorithm>

namespace hocket {

StageRegisters::StageRegisters(const StageProblem &problem, unsigned numStages)
    : problem(problem), numStages(numStages), inUse(problem.nodes.size()), after(numStages), within(numStages) {}

int64_t StageRegisters::most(const std::vector<unsigned> &stages) {
  for (std::vector<int64_t> &each : inUse)
    each.clear();
  for (const StageUse &use : problem.uses) {
    if (use.from >= stages.size() || use.to >= stages.size())
      continue;
    const int64_t distance = stages[use.to] + use.iterations * numStages - int64_t(stages[use.from]);
    std::vector<int64_t> &each = inUse[use.from];
    if (int64_t(each.size()) < distance)
      each.resize(size_t(distance));
    for (int64_t stage = 0; stage < distance; ++stage)
      each[size_t(stage)] += use.registers;
  }
  std::ranges::fill(after, 0);
  std::ranges::fill(within, 0);
  for (unsigned node = 0; node < stages.size(); ++node) {
    const int64_t registers = problem.nodes[node].registers;
    const int64_t kept = inUse[node].empty() ? 0 : std::min(registers, inUse[node].front());
    // Results that are used only in the stage that computes them can occupy the same registers one after another.
    // Arithmetic writes its results to the registers of its operands.
    if (problem.nodes[node].unit != StageUnit::Vector)
      within[stages[node]] = std::max(within[stages[node]], registers - kept);
    for (size_t stage = 0; stage < inUse[node].size(); ++stage)
      after[(stages[node] + stage) % numStages] += std::min(registers, inUse[node][stage]);
  }
  int64_t most = 0;
  for (unsigned stage = 0; stage < numStages; ++stage)
    most = std::max(most, std::max(after[stage], after[(stage + numStages - 1) % numStages]) + within[stage]);
  return most;
}

} // namespace hocket
