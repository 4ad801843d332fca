//===- StageRegisters.cpp - Registers that results occupy in the stages of a plan --===//
#include "analysis/auto_stages/StageRegisters.h"

#include <algorithm>

namespace hocket {

StageRegisters::StageRegisters(const StageProblem &problem, unsigned numStages)
    : problem(problem), numStages(numStages), lastUse(problem.nodes.size()), after(numStages), within(numStages) {}

int64_t StageRegisters::most(const std::vector<unsigned> &stages) {
  std::ranges::copy(stages, lastUse.begin());
  for (const StageUse &use : problem.uses)
    if (use.from < stages.size() && use.to < stages.size())
      lastUse[use.from] = std::max(lastUse[use.from], stages[use.to] + use.iterations * numStages);
  std::ranges::fill(after, 0);
  std::ranges::fill(within, 0);
  for (unsigned node = 0; node < stages.size(); ++node) {
    const int64_t registers = problem.nodes[node].registers;
    if (lastUse[node] == stages[node])
      // Results that are used only in the stage that computes them can occupy the same registers one after another.
      within[stages[node]] = std::max(within[stages[node]], registers);
    for (int64_t stage = stages[node]; registers > 0 && stage < lastUse[node]; ++stage)
      after[size_t(stage % numStages)] += registers;
  }
  int64_t most = 0;
  for (unsigned stage = 0; stage < numStages; ++stage)
    most = std::max(most, std::max(after[stage], after[(stage + numStages - 1) % numStages]) + within[stage]);
  return most;
}

} // namespace hocket
