//===- StageRegisters.cpp - Registers that results occupy in the stages of a plan --===//
#include "analysis/auto_stages/StageRegisters.h"

#include <algorithm>

namespace hocket {

StageRegisters::StageRegisters(const StageProblem &problem, unsigned numStages)
    : problem(problem), numStages(numStages), lengths(problem.nodes.size()), after(numStages), within(numStages) {
  for (const StageUse &use : problem.uses)
    mostStages = std::max(mostStages, (use.iterations + 1) * int64_t(numStages));
  inUse.resize(problem.nodes.size() * size_t(mostStages));
}

int64_t StageRegisters::most(const std::vector<unsigned> &stages) {
  std::ranges::fill(lengths, 0);
  for (const StageUse &use : problem.uses) {
    if (use.from >= stages.size() || use.to >= stages.size())
      continue;
    const int64_t distance = stages[use.to] + use.iterations * numStages - int64_t(stages[use.from]);
    int64_t *each = &inUse[size_t(use.from * mostStages)];
    for (; lengths[use.from] < distance; ++lengths[use.from])
      each[lengths[use.from]] = 0;
    for (int64_t stage = 0; stage < distance; ++stage)
      each[stage] += use.registers;
  }
  std::ranges::fill(after, 0);
  std::ranges::fill(within, 0);
  for (unsigned node = 0; node < stages.size(); ++node) {
    const int64_t registers = problem.nodes[node].registers;
    const int64_t *each = inUse.data() + size_t(node) * size_t(mostStages);
    const int64_t kept = lengths[node] == 0 ? 0 : std::min(registers, each[0]);
    // Results that are used only in the stage that computes them can occupy the same registers one after another.
    // Arithmetic writes its results to the registers of its operands.
    if (problem.nodes[node].unit != StageUnit::Vector)
      within[stages[node]] = std::max(within[stages[node]], registers - kept);
    for (int64_t stage = 0; stage < lengths[node]; ++stage)
      after[size_t((stages[node] + stage) % numStages)] += std::min(registers, each[stage]);
  }
  int64_t most = 0;
  for (unsigned stage = 0; stage < numStages; ++stage)
    most = std::max(most, std::max(after[stage], after[(stage + numStages - 1) % numStages]) + within[stage]);
  return most;
}

} // namespace hocket
