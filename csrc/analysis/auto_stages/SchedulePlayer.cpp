//===- SchedulePlayer.cpp - Simulates the two groups of a warp pipeline ------------===//
#include "analysis/auto_stages/SchedulePlayer.h"

#include <algorithm>

namespace hocket {

/// Number of loop iterations that are simulated. After this number of iterations, the copies in flight and the units
/// are in a steady state.
static constexpr int64_t kIterations = 8;

namespace {
struct Done {
  int64_t first = 0, all = 0;
};

/// The nodes of one stage in one iteration, executed by one group of warps.
struct Run {
  unsigned group = 0;
  int64_t iteration = 0;
  const std::vector<unsigned> *nodes = nullptr;
  size_t next = 0;
  int64_t cursor = 0;
  bool isAtEnd() const { return !nodes || next == nodes->size(); }
};

class Player {
public:
  Player(const StageProblem &problem, const StagePlan &plan)
      : problem(problem), plan(plan), nodesOf(plan.numStages), operandsOf(problem.nodes.size()) {
    for (unsigned node = 0; node < problem.nodes.size(); ++node)
      nodesOf[plan.stageOf[node]].push_back(node);
    for (const StageUse &use : problem.uses)
      operandsOf[use.to].push_back(use);
    for (auto &group : done)
      group.assign(kIterations, std::vector<Done>(problem.nodes.size()));
  }

  PlayedSchedule play();

private:
  Run runOf(unsigned group, int64_t step) const;
  int64_t availableTo(const Run &run, unsigned node, int64_t &lastPart) const;
  int64_t arrivalAt(const Run &run, int64_t step) const;
  void execute(Run &run, PlayedSchedule::Slot &slot);
  PlayedSchedule::Slot playSlot(int64_t step);

  const StageProblem &problem;
  const StagePlan &plan;
  std::vector<std::vector<unsigned>> nodesOf;
  std::vector<std::vector<StageUse>> operandsOf;
  /// done[group][iteration][node] contains the times at which the results of the node are available to the group.
  std::array<std::vector<std::vector<Done>>, 2> done;
  UnitClocks freeAt{};
  int64_t now = 0;
};
} // namespace

/// Returns the nodes that `group` executes in slot `step`, where slots are numbered through all iterations; an empty
/// run if the group begins its first stage in a later slot.
Run Player::runOf(unsigned group, int64_t step) const {
  int64_t stage = step - (group == 0 ? 0 : int64_t(plan.lag));
  Run run{.group = group};
  if (stage < 0)
    return run;
  run.iteration = stage / plan.numStages;
  run.nodes = &nodesOf[size_t(stage % plan.numStages)];
  return run;
}

/// Returns the earliest time at which the operands of `node` allow the node to start. Sets `lastPart` to the time at
/// which all operands are completely available.
int64_t Player::availableTo(const Run &run, unsigned node, int64_t &lastPart) const {
  int64_t start = 0;
  lastPart = 0;
  for (const StageUse &use : operandsOf[node]) {
    int64_t iteration = run.iteration - use.iterations;
    if (iteration < 0)
      continue;
    const Done &operand = done[run.group][size_t(iteration)][use.from];
    start = std::max(start, problem.nodes[node].parts > 1 ? operand.first : operand.all);
    lastPart = std::max(lastPart, operand.all);
  }
  return start;
}

/// Returns the time at which all copies are complete for which the group of `run` waits before the stage of slot
/// `step`; 0 if the group waits for no copies.
int64_t Player::arrivalAt(const Run &run, int64_t step) const {
  int64_t stage = step - (run.group == 0 ? 0 : int64_t(plan.lag)), arrival = 0;
  for (size_t number = 0; number < problem.waits.size(); ++number) {
    int64_t distance = stage - plan.waitSlots[number];
    if (stage < 0 || distance < 0 || distance % plan.numStages != 0)
      continue;
    const StageWait &wait = problem.waits[number];
    const std::vector<unsigned> &commits = problem.commits[wait.counter];
    int64_t perIteration = int64_t(commits.size());
    if (perIteration == 0)
      continue;
    // Groups of copies that were committed before the loop have numbers below 1.
    int64_t last = distance / plan.numStages * perIteration + wait.covers;
    if (last >= 1 && (last - 1) / perIteration < kIterations)
      arrival = std::max(
          arrival, done[run.group][size_t((last - 1) / perIteration)][commits[size_t((last - 1) % perIteration)]].all);
  }
  return arrival;
}

void Player::execute(Run &run, PlayedSchedule::Slot &slot) {
  const unsigned number = (*run.nodes)[run.next++];
  const StageNode &node = problem.nodes[number];
  int64_t lastPart = 0;
  int64_t start = std::max({run.cursor, freeAt[size_t(node.unit)], availableTo(run, number, lastPart)});
  int64_t end = std::max(start + node.clocks, lastPart + node.clocks / node.parts);
  freeAt[size_t(node.unit)] = end;
  slot.units[size_t(node.unit)] += node.clocks;
  run.cursor = end - node.clocks + node.issue;
  constexpr int64_t kParts = 8; // must be equal to kParts in StageClocks.cpp
  Done &result = done[run.group][size_t(run.iteration)][number];
  result = {end - node.clocks + node.clocks / kParts + node.latency, end + node.latency};
}

PlayedSchedule::Slot Player::playSlot(int64_t step) {
  PlayedSchedule::Slot slot;
  const int64_t begin = now;
  Run runs[2] = {runOf(0, step), runOf(1, step)};
  for (Run &run : runs)
    if (run.iteration >= kIterations)
      run.nodes = nullptr;
  for (const Run &run : runs)
    now = std::max(now, arrivalAt(run, step));
  slot.waiting = now - begin;
  for (Run &run : runs)
    run.cursor = now;
  // In each step, the group of warps whose next node can start earlier executes this node.
  while (!runs[0].isAtEnd() || !runs[1].isAtEnd()) {
    int64_t lastPart = 0, ready[2];
    for (unsigned group = 0; group < 2; ++group)
      ready[group] = runs[group].isAtEnd()
                         ? INT64_MAX
                         : std::max(runs[group].cursor,
                                    availableTo(runs[group], (*runs[group].nodes)[runs[group].next], lastPart));
    execute(runs[ready[1] < ready[0]], slot);
  }
  for (const Run &run : runs)
    if (run.nodes)
      for (unsigned node : *run.nodes)
        if (problem.nodes[node].endsInStage)
          now = std::max(now, done[run.group][size_t(run.iteration)][node].all);
  now = std::max({now, runs[0].cursor, runs[1].cursor}) + problem.slotClocks;
  slot.clocks = now - begin;
  return slot;
}

PlayedSchedule Player::play() {
  PlayedSchedule played;
  for (int64_t step = 0; step < kIterations * plan.numStages; ++step) {
    PlayedSchedule::Slot slot = playSlot(step);
    if (step < (kIterations - 1) * int64_t(plan.numStages))
      continue;
    played.clocks += slot.clocks;
    played.slots.push_back(slot);
  }
  for (const std::vector<unsigned> &nodes : nodesOf) {
    UnitClocks units{};
    for (unsigned node : nodes)
      units[size_t(problem.nodes[node].unit)] += problem.nodes[node].clocks;
    // A stage with both MMAs and accesses of memory costs additional clocks (StageClocks.h), except in a loop without
    // stages.
    played.clocks += plan.lag > 0 && isMixedStage(units) ? problem.slotClocks : 0;
  }
  return played;
}

PlayedSchedule playSchedule(const StageProblem &problem, const StagePlan &plan) { return Player(problem, plan).play(); }

} // namespace hocket
