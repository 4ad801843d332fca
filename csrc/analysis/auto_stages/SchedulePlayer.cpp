//===- SchedulePlayer.cpp - Simulates the two groups of a warp pipeline ------------===//
#include "analysis/auto_stages/SchedulePlayer.h"

#include "analysis/auto_stages/IssueTimes.h"

#include <algorithm>

namespace hocket {

/// Number of loop iterations that are simulated. After this number of iterations, the copies in flight and the units
/// are in a steady state.
static constexpr int64_t kIterations = 8;

namespace {
struct Done {
  int64_t first = 0, all = 0;
};

/// When the operands of a node are available: the earliest time at which the node can start, and the time at which all
/// operands are completely available.
struct Available {
  int64_t start = 0, lastPart = 0;
};

/// The nodes of one stage in one iteration, executed by one group of warps.
struct Run {
  unsigned group = 0;
  int64_t iteration = 0;
  const std::vector<unsigned> *nodes = nullptr;
  size_t next = 0;
  IssueTimes issued;
  /// The clocks for which the executed nodes occupy the units, and the number of MMAs that leave clocks to arithmetic.
  UnitClocks units{};
  int64_t mmas = 0;
  void waitUntil(int64_t time) { issued = {time, time, 0}; }
  bool isAtEnd() const { return !nodes || next == nodes->size(); }
};

class Player {
public:
  Player(const StageProblem &problem, const StagePlan &plan)
      : problem(problem), plan(plan), nodesOf(plan.numStages), operandsOf(problem.nodes.size()),
        asyncReadsOf(problem.nodes.size()) {
    for (unsigned node = 0; node < problem.nodes.size(); ++node)
      nodesOf[plan.stageOf[node]].push_back(node);
    for (const StageUse &use : problem.uses)
      operandsOf[use.to].push_back(use);
    for (const StageUse &signal : problem.signals)
      operandsOf[signal.to].push_back(signal);
    for (const StageOrder &order : problem.orders)
      if (problem.nodes[order.from].isAsync && order.distance != StageDistance::SameWarp)
        asyncReadsOf[order.to].push_back(order);
    for (const StageUse &use : problem.uses)
      if (isMoved(use, plan.stageOf) && std::ranges::find(moved, use.from, &StageUse::from) == moved.end())
        moved.push_back(use);
    done.resize(2 * kIterations * problem.nodes.size());
    readsAsync = std::ranges::any_of(asyncReadsOf, [](const auto &reads) { return !reads.empty(); });
  }

  PlayedSchedule play();

protected:
  Available availableTo(const Run &run) const;
  int64_t endOfAsync(const Run &run) const;
  int64_t readyAt(const Run &run, const Available &operands) const;
  int64_t endOf(const Run &one, const Run &other) const;
  void execute(Run &run, const Available &operands, PlayedSchedule::Slot &slot);
  void endIteration(Run &run) const;

  const StageProblem &problem;
  const StagePlan &plan;
  std::vector<std::vector<unsigned>> nodesOf;

private:
  /// Returns the index in `done` of node 0 in an iteration.
  size_t offsetOf(unsigned group, int64_t iteration) const {
    return size_t(group * kIterations + iteration) * problem.nodes.size();
  }
  const Done &doneAt(unsigned group, int64_t iteration, unsigned node) const {
    return done[offsetOf(group, iteration) + node];
  }
  Run runOf(unsigned group, int64_t step) const;
  int64_t arrivalAt(const Run &run, int64_t step) const;
  PlayedSchedule::Slot playSlot(int64_t step);

  std::vector<std::vector<StageUse>> operandsOf;
  /// asyncReadsOf[i] contains the asynchronous MMAs whose operands in shared memory node i overwrites.
  std::vector<std::vector<StageOrder>> asyncReadsOf;
  /// For each node whose results are moved at the end of each iteration (isMoved), a use of these results.
  std::vector<StageUse> moved;
  /// True if a node overwrites operands of an asynchronous MMA, which both groups execute.
  bool readsAsync = false;
  /// The times at which the results of each node, in each iteration, are available to each group (doneAt).
  std::vector<Done> done;
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

/// Returns when the operands of the next node of `run` are available.
Available Player::availableTo(const Run &run) const {
  Available operands;
  const unsigned number = (*run.nodes)[run.next];
  const StageNode &node = problem.nodes[number];
  for (const StageUse &use : operandsOf[number]) {
    int64_t iteration = run.iteration - use.iterations;
    if (iteration < 0)
      continue;
    const StageNode &operand = problem.nodes[use.from];
    const auto [first, lastDone] = doneAt(run.group, iteration, use.from);
    const int64_t all = lastDone - operand.latency + latencyOf(operand, node);
    operands.start = std::max(operands.start, node.parts > 1 ? first : all);
    operands.lastPart = std::max(operands.lastPart, all);
  }
  for (const StageOrder &read : asyncReadsOf[number])
    if (int64_t iteration = run.iteration - read.iterations; iteration >= 0)
      for (unsigned group = 0; group < 2; ++group)
        operands.start = std::max(operands.start, doneAt(group, iteration, read.from).all);
  if (plan.lag > 0 && node.isArrival)
    for (unsigned earlier : *run.nodes)
      if (earlier < number && problem.nodes[earlier].isAsync)
        operands.start = std::max(operands.start, doneAt(run.group, run.iteration, earlier).all);
  return operands;
}

/// Returns the time at which all results are available that must be available at the end of the stage of `run`.
int64_t Player::endOfAsync(const Run &run) const {
  int64_t end = 0;
  for (unsigned node : *run.nodes)
    if (problem.nodes[node].endsInStage || (plan.lag > 0 && problem.nodes[node].isAsync))
      end = std::max(end, doneAt(run.group, run.iteration, node).all);
  return end;
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
      arrival = std::max(arrival,
                         doneAt(run.group, (last - 1) / perIteration, commits[size_t((last - 1) % perIteration)]).all);
  }
  return arrival;
}

/// Executes the next node of `run`, whose operands are available at the times `operands`.
void Player::execute(Run &run, const Available &operands, PlayedSchedule::Slot &slot) {
  int64_t start = readyAt(run, operands);
  const unsigned number = (*run.nodes)[run.next++];
  const StageNode &node = problem.nodes[number];
  if (node.clocks > 0)
    start = std::max(start, freeAt[size_t(node.unit)]);
  int64_t end = std::max(start + node.clocks, operands.lastPart + node.clocks / node.parts);
  if (node.clocks > 0)
    freeAt[size_t(node.unit)] = end;
  slot.units[size_t(node.unit)] += node.clocks;
  run.issued.issue(node, end - node.clocks);
  run.units[size_t(node.unit)] += node.clocks;
  run.mmas += node.spare > 0;
  constexpr int64_t kParts = 8; // must be equal to kParts in StageClocks.cpp
  Done &result = done[offsetOf(run.group, run.iteration) + number];
  result = {end - node.clocks + node.clocks / kParts + node.latency, end + node.latency};
}

/// Returns the earliest time at which the next node of `run` can start.
int64_t Player::readyAt(const Run &run, const Available &operands) const {
  return run.issued.startOf(problem.nodes[(*run.nodes)[run.next]], operands.start);
}

/// Adds what a group does at the end of an iteration. In the last stage, it waits for the values that are moved. The
/// instructions of the loop itself follow slot 0 if this slot is at the end of the body, as it is unless the slot has a
/// wait; they then belong to the first stage.
void Player::endIteration(Run &run) const {
  if (plan.lag == 0 || !run.nodes)
    return;
  const bool isAtTop = std::ranges::any_of(plan.waitSlots, [&](int64_t slot) { return slot % plan.numStages == 0; });
  int64_t now = run.issued.cursor;
  if (run.nodes == &nodesOf.back())
    for (const StageUse &use : moved)
      now = std::max(now, doneAt(run.group, run.iteration, use.from).all);
  if (run.nodes == &(isAtTop ? nodesOf.back() : nodesOf.front()))
    now += problem.loopClocks;
  run.waitUntil(now);
}

/// Returns the time at which both groups have issued all nodes of their stages.
int64_t Player::endOf(const Run &one, const Run &other) const {
  if (plan.lag == 0)
    return std::max(one.issued.cursor, other.issued.cursor);
  return std::max(one.issued.cursor + delayOfMmas(one.mmas, other.units, other.mmas),
                  other.issued.cursor + delayOfMmas(other.mmas, one.units, one.mmas));
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
    run.waitUntil(now);
  Available operands[2];
  int64_t ready[2];
  auto update = [&](unsigned group) {
    operands[group] = runs[group].isAtEnd() ? Available() : availableTo(runs[group]);
    ready[group] = runs[group].isAtEnd() ? INT64_MAX : readyAt(runs[group], operands[group]);
  };
  update(0);
  update(1);
  // In each step, the group of warps whose next node can start earlier executes this node.
  while (!runs[0].isAtEnd() || !runs[1].isAtEnd()) {
    const unsigned group = ready[1] < ready[0];
    execute(runs[group], operands[group], slot);
    update(group);
    if (readsAsync)
      update(1 - group);
  }
  now = std::max(now, endOf(runs[0], runs[1]));
  for (const Run &run : runs)
    if (run.nodes)
      now = std::max(now, endOfAsync(run));
  for (Run &run : runs)
    endIteration(run);
  const int64_t end = std::max(now, endOf(runs[0], runs[1]));
  const int64_t accesses = plan.lag > 0 ? clocksOfAccesses(slot.units) : 0;
  slot.ending = end - now;
  now = std::max(end + problem.slotClocks, begin + accesses);
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
  for (const StageUse &use : moved)
    played.clocks += problem.moveClocks * registersMoved(problem, use);
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

// Exclusive stages ----------------------------------------------------------------------------------------------------

namespace {
/// A group of warps in a pipeline with exclusive stages.
struct PingPongGroup {
  Run run;
  /// Number of the current stage, counted through all iterations.
  int64_t step = 0;
  /// True if the group has begun the stage, i.e. has passed the barrier of an exclusive stage.
  bool isInside = false;
  /// exclusiveEnds[t] is the time at which the group has ended exclusive stage t; iterationEnds[k] is the time at which
  /// the group has ended iteration k.
  std::vector<int64_t> exclusiveEnds, iterationEnds;
};

/// Simulates a plan with exclusive stages.
class PingPongPlayer : Player {
public:
  PingPongPlayer(const StageProblem &problem, const StagePlan &plan) : Player(problem, plan) {}

  PlayedSchedule play();

private:
  bool isAtEnd(const PingPongGroup &group) const { return group.step == kIterations * int64_t(plan.numStages); }
  bool isExclusive(const PingPongGroup &group) const { return plan.exclusive[size_t(group.step % plan.numStages)]; }
  /// Returns the number of exclusive stages that the other group must have ended before group `number` begins its next
  /// exclusive stage.
  size_t endsNeeded(unsigned number) const { return groups[number].exclusiveEnds.size() + number; }
  int64_t readyAt(unsigned number) const;
  void begin(unsigned number);
  void enter(unsigned number);
  void leave(unsigned number);
  void advance(unsigned number);

  std::array<PingPongGroup, 2> groups;
  PlayedSchedule::Slot total;
};
} // namespace

/// Sets the run of group `number` to the stage of its current step.
void PingPongPlayer::begin(unsigned number) {
  PingPongGroup &group = groups[number];
  const int64_t now = group.run.issued.cursor;
  group.run = {number, group.step / plan.numStages, &nodesOf[size_t(group.step % plan.numStages)]};
  group.run.waitUntil(now);
  group.isInside = false;
}

/// Returns the earliest time at which group `number` can proceed; INT64_MAX if the group has executed all iterations or
/// must wait until the other group has ended an exclusive stage.
int64_t PingPongPlayer::readyAt(unsigned number) const {
  const PingPongGroup &group = groups[number];
  if (isAtEnd(group) ||
      (!group.isInside && isExclusive(group) && groups[1 - number].exclusiveEnds.size() < endsNeeded(number)))
    return INT64_MAX;
  if (!group.isInside || group.run.isAtEnd())
    return group.run.issued.cursor;
  return Player::readyAt(group.run, availableTo(group.run));
}

void PingPongPlayer::enter(unsigned number) {
  PingPongGroup &group = groups[number];
  group.isInside = true;
  if (!isExclusive(group))
    return;
  if (size_t count = endsNeeded(number); count > 0)
    group.run.waitUntil(std::max(group.run.issued.cursor, groups[1 - number].exclusiveEnds[count - 1]));
  group.run.waitUntil(group.run.issued.cursor + problem.slotClocks);
}

void PingPongPlayer::leave(unsigned number) {
  PingPongGroup &group = groups[number];
  if (group.run.nodes == &nodesOf.back())
    endIteration(group.run);
  group.run.waitUntil(std::max(group.run.issued.cursor, endOfAsync(group.run)));
  if (isExclusive(group))
    group.exclusiveEnds.push_back(group.run.issued.cursor);
  if (++group.step % plan.numStages == 0)
    group.iterationEnds.push_back(group.run.issued.cursor);
  if (!isAtEnd(group))
    begin(number);
}

void PingPongPlayer::advance(unsigned number) {
  if (!groups[number].isInside)
    enter(number);
  else if (groups[number].run.isAtEnd())
    leave(number);
  else
    execute(groups[number].run, availableTo(groups[number].run), total);
}

PlayedSchedule PingPongPlayer::play() {
  begin(0);
  begin(1);
  while (!isAtEnd(groups[0]) || !isAtEnd(groups[1]))
    advance(readyAt(1) < readyAt(0));
  // The durations of successive iterations may alternate, so the result is the mean of several iterations.
  constexpr int64_t kMeasured = kIterations / 2;
  const std::vector<int64_t> &ends = groups[0].iterationEnds;
  return {.clocks = (ends.back() - ends[ends.size() - 1 - kMeasured]) / kMeasured, .slots = {}};
}

PlayedSchedule playSchedule(const StageProblem &problem, const StagePlan &plan) {
  return plan.isPingPong() ? PingPongPlayer(problem, plan).play() : Player(problem, plan).play();
}

} // namespace hocket
