//===- StageProblems.h - Random problems for the tests of the search for stages ----------===//
#ifndef HOCKET_TESTS_UNIT_ANALYSIS_STAGEPROBLEMS_H
#define HOCKET_TESTS_UNIT_ANALYSIS_STAGEPROBLEMS_H

#include "analysis/auto_stages/StageProblem.h"

#include <random>

namespace hocket {

/// A problem with `count` nodes, drawn at random: units, clocks, uses, orders, and perhaps a group of copies with a wait.
inline StageProblem drawProblem(std::mt19937 &random, unsigned count) {
  auto draw = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
  StageProblem problem;
  problem.slotClocks = draw(0, 20);
  problem.moveClocks = draw(0, 2);
  problem.loopClocks = draw(0, 20);
  for (unsigned node = 0; node < count; ++node) {
    StageNode drawn;
    drawn.unit = StageUnit(draw(0, kStageUnits - 1));
    drawn.clocks = draw(1, 100);
    bool isAsync = drawn.unit == StageUnit::Shared || drawn.unit == StageUnit::Memory;
    drawn.issue = isAsync ? draw(1, 10) : drawn.clocks;
    drawn.latency = isAsync ? draw(0, 60) : draw(0, 10);
    drawn.parts = drawn.unit == StageUnit::Matrix ? draw(1, 4) : 1;
    drawn.endsInStage = drawn.unit == StageUnit::Shared;
    drawn.isAsync = drawn.unit == StageUnit::Matrix && draw(0, 1);
    drawn.spare = drawn.unit == StageUnit::Matrix && !drawn.isAsync ? draw(0, drawn.issue) : 0;
    drawn.hasBranches = drawn.unit == StageUnit::Vector && draw(0, 3) == 0;
    drawn.registers = draw(0, 8);
    drawn.isArrival = drawn.unit == StageUnit::Vector && draw(0, 3) == 0;
    problem.nodes.push_back(drawn);
  }
  for (unsigned to = 1; to < count; ++to)
    for (unsigned from = 0; from < to; ++from) {
      if (draw(0, 2) == 0)
        problem.uses.push_back({from, to, 0, draw(0, 8)});
      if (draw(0, 5) == 0)
        problem.uses.push_back({from, to, 1, draw(0, 8)});
      if (draw(0, 5) == 0)
        problem.orders.push_back({from, to, 0, StageDistance(draw(0, 2))});
      if (draw(0, 5) == 0)
        problem.orders.push_back({to, from, draw(1, 2), StageDistance(draw(0, 2))});
    }
  if (draw(0, 1)) {
    problem.commits.push_back({unsigned(draw(0, count - 1))});
    StageWait wait{0, draw(-2, 1), unsigned(draw(0, count)), {}};
    for (int64_t arrival = draw(0, 2); arrival > 0; --arrival)
      wait.arrivals.push_back({unsigned(draw(0, count - 1)), draw(0, 1), StageDistance(draw(0, 2))});
    problem.waits.push_back(wait);
  }
  return problem;
}

} // namespace hocket

#endif
