//===- StageFencesOracleTest.cpp - The fences of warp pipelines suffice, and are a minimum --------------===//
//
// The oracle does not use windows or distances. It simulates the schedule period by period; a period is the time
// between two barriers. A group *begins* a stage when it runs the stage, and has *completed* it when the group passes a
// fence after it.
//
//     period    0     1     2     3     4
//     low       c0    c1    c2    c0    c1       a loop of three stages, lag 1: the high group spends
//     high            c0    c1    c2    c0       the first period at a barrier
//
// A buffer has two halves. A stage accesses a buffer in one of three ways: each group accesses its own half, each group
// accesses the other half, or both groups access the whole buffer. Whether two stages conflict may thus depend on
// whether one group or both groups run them.
//
// Two stages conflict if they access the same half, and one of them writes. It is a race if a group runs a stage that
// conflicts with a stage of one of the groups, and this other stage
//   - has been begun by that group, and has not been completed (another warp may be affected), or
//   - is later in the program, but that group, the other one, has begun it already.
// A stage that only writes a buffer, or only reads it, does not race with itself: each warp writes its own part.
//
// The test draws random pipelines of 2 to 8 stages that read and write 1 to 4 buffers, in loops and in straight-line
// code, with a lag of 1 or 2, until 100,000 plans have fences. A plan must not race. It must race if any one of its
// fences is left out. Every set with one fence less must race, so the plan is a minimum. A pipeline must be rejected
// exactly if it races with fences at all slots.
//
//===----------------------------------------------------------------------------------------------------===//
#include "analysis/warp_pipeline/StageFences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <sstream>

using namespace hocket;

namespace {
constexpr unsigned kMaxStages = 8;

enum class Part : uint8_t { OwnHalf, OtherHalf, All };

struct Access {
  unsigned buffer = 0;
  Part part = Part::All;
  bool writes = false;
  /// Returns the halves as bits.
  unsigned halvesOf(unsigned group) const {
    unsigned halves = part == Part::All ? 3 : 1u << (part == Part::OwnHalf ? group : 1 - group);
    return halves << 2 * buffer;
  }
};
using Stage = std::vector<Access>;

/// A pipeline. Sets of slots are masks.
struct Pipeline {
  std::vector<Stage> stages;
  unsigned lag = 1;
  bool isLoop = true;
  unsigned given = 0; ///< slots that already are fences

  unsigned size() const { return unsigned(stages.size()); }
  /// Returns all slots. A straight-line pipeline has no slot 0.
  unsigned slots() const { return (1u << size()) - (isLoop ? 1 : 2); }
};

/// A set of executed stages. In a loop of eight stages, bit 9 is the second stage of the second iteration.
using Runs = uint64_t;

/// Simulates pipelines of up to 64 executed stages.
class Oracle {
public:
  explicit Oracle(const Pipeline &pipeline) : pipeline(pipeline) {
    total = pipeline.isLoop ? 4 * pipeline.size() + 2 * pipeline.lag : pipeline.size();
    for (unsigned mine = 0; mine < 2; ++mine)
      for (unsigned other = 0; other < 2; ++other)
        for (unsigned run = 0; run < total; ++run)
          clashes[mine][other].push_back(findClashes(run, mine, other));
  }

  bool races(unsigned fences) const {
    struct {
      unsigned next = 0;
      Runs open = 0;
    } groups[2];
    for (unsigned period = 0; period < total + pipeline.lag; ++period) {
      bool runs[2] = {period < total, period >= pipeline.lag};
      for (unsigned i = 0; i < 2; ++i)
        if (runs[i])
          groups[i].open |= Runs(1) << groups[i].next++;
      for (unsigned i = 0; i < 2; ++i) {
        if (!runs[i])
          continue;
        unsigned run = groups[i].next - 1, other = 1 - i;
        Runs begunByOther = (Runs(1) << groups[other].next) - 1, later = ~Runs(0) << run << 1;
        if (clashes[i][i][run] & groups[i].open)
          return true;
        if (clashes[i][other][run] & (groups[other].open | (begunByOther & later)))
          return true;
      }
      for (unsigned i = 0; i < 2; ++i)
        if (runs[i] && (fences >> groups[i].next % pipeline.size() & 1))
          groups[i].open = 0;
    }
    return false;
  }

private:
  const Stage &stageOf(unsigned run) const { return pipeline.stages[run % pipeline.size()]; }

  /// True if the stage both reads and writes a buffer. Nothing orders the groups or the warps within a stage.
  static bool isInItselfARace(const Stage &stage) {
    unsigned touched[2] = {};
    for (const Access &access : stage)
      touched[access.writes] |= access.halvesOf(0) | access.halvesOf(1);
    return touched[0] & touched[1];
  }

  Runs findClashes(unsigned run, unsigned group, unsigned otherGroup) const {
    Runs found = isInItselfARace(stageOf(run)) ? Runs(1) << run : 0;
    for (unsigned other = 0; other < total; ++other)
      for (const Access &a : stageOf(run))
        for (const Access &b : stageOf(other))
          if (other != run && (a.writes || b.writes) && (a.halvesOf(group) & b.halvesOf(otherGroup)))
            found |= Runs(1) << other;
    return found;
  }

  const Pipeline &pipeline;
  unsigned total;
  /// For each executed stage of a group: the executed stages of the same group or the other group that conflict with
  /// it.
  std::vector<Runs> clashes[2][2];
};
} // namespace

/// Each stage accesses each buffer with the same small, random probability. In every second buffer, each group has a
/// half of its own.
static Pipeline randomPipeline(std::mt19937 &random) {
  Pipeline pipeline;
  pipeline.stages.resize(2 + random() % (kMaxStages - 1));
  pipeline.lag = 1 + random() % 2;
  pipeline.isLoop = random() % 2;
  pipeline.given = random() % 4 == 0 ? random() & pipeline.slots() : 0;
  unsigned buffers = 1 + random() % 4, percent = 5 + random() % 30, isHalved = random();
  for (Stage &stage : pipeline.stages)
    for (unsigned buffer = 0; buffer < buffers; ++buffer) {
      Part part = isHalved >> buffer & 1 ? Part::OwnHalf : Part(random() % 3);
      bool writes = random() % 3 == 0;
      if (random() % 100 < percent)
        stage.push_back({buffer, part, writes});
      if (random() % 1000 < percent)
        stage.push_back({buffer, part, !writes});
    }
  return pipeline;
}

/// Returns the input of the analysis: pairs of accesses, up to two iterations apart.
static std::vector<StageHazard> hazardsOf(const Pipeline &pipeline) {
  std::vector<StageHazard> hazards;
  unsigned size = pipeline.size(), end = pipeline.isLoop ? 3 * size : size;
  for (unsigned src = 0; src < size; ++src)
    for (unsigned dst = src; dst < end; ++dst)
      for (const Access &from : pipeline.stages[src])
        for (const Access &to : pipeline.stages[dst % size]) {
          bool isOfOneStage = src == dst && from.writes == to.writes;
          if (from.buffer != to.buffer || !(from.writes || to.writes) || isOfOneStage)
            continue;
          hazards.push_back({src, int64_t(dst) - src, from.part == to.part && from.part != Part::All});
        }
  return hazards;
}

static StageSchedule scheduleOf(const Pipeline &pipeline) {
  StageSchedule schedule{pipeline.size(), pipeline.lag, pipeline.isLoop, std::vector<bool>(pipeline.size())};
  for (unsigned slot = 0; slot < pipeline.size(); ++slot)
    schedule.fenced[slot] = pipeline.given >> slot & 1;
  return schedule;
}

static std::string draw(const Pipeline &pipeline, unsigned fences) {
  std::ostringstream text;
  text << (pipeline.isLoop ? "loop" : "line") << ", lag " << pipeline.lag << ", given " << pipeline.given << ", fences "
       << fences << ":";
  for (const Stage &stage : pipeline.stages) {
    text << " |";
    for (const Access &access : stage)
      text << (access.writes ? " write " : " read ") << access.buffer << " "
           << (access.part == Part::OwnHalf     ? "own"
               : access.part == Part::OtherHalf ? "other"
                                                : "all");
  }
  return text.str();
}

/// Returns a set of `count` slots, besides the given ones, that does not race; 0 if there is none.
static unsigned findFences(const Pipeline &pipeline, const Oracle &oracle, int count) {
  for (unsigned fences = 0; fences < 1u << pipeline.size(); ++fences)
    if ((fences & ~(pipeline.slots() & ~pipeline.given)) == 0 && std::popcount(fences) == count &&
        !oracle.races(fences | pipeline.given))
      return fences | 1u << kMaxStages;
  return 0;
}

TEST(StageFencesOracle, PlansAreEnoughAndSmallest) {
  std::mt19937 random(4);
  unsigned rejections = 0, fenced = 0, adjacent = 0;
  while (fenced < 100'000) {
    Pipeline pipeline = randomPipeline(random);
    Oracle oracle(pipeline);
    std::vector<StageHazard> hazards = hazardsOf(pipeline);
    StageSchedule schedule = scheduleOf(pipeline);
    bool rejected = findUnsettled(schedule, hazards).has_value();
    ASSERT_EQ(rejected, oracle.races(pipeline.slots())) << draw(pipeline, pipeline.slots());
    rejections += rejected;
    if (rejected)
      continue;

    unsigned fences = 0;
    for (unsigned slot : chooseFences(schedule, hazards))
      fences |= 1u << slot;
    fenced += fences != 0;
    adjacent += std::ranges::any_of(
        hazards, [&](const StageHazard &hazard) { return hazard.distance <= int64_t(pipeline.lag); });
    ASSERT_EQ(fences & ~(pipeline.slots() & ~pipeline.given), 0u) << draw(pipeline, fences);
    ASSERT_FALSE(oracle.races(fences | pipeline.given)) << draw(pipeline, fences);
    for (unsigned slot = 0; slot < pipeline.size(); ++slot)
      if (fences >> slot & 1)
        ASSERT_TRUE(oracle.races((fences & ~(1u << slot)) | pipeline.given)) << draw(pipeline, fences);
    if (fences)
      ASSERT_EQ(findFences(pipeline, oracle, std::popcount(fences) - 1), 0u) << draw(pipeline, fences);
  }
  // The test must cover both outcomes.
  EXPECT_GT(rejections, 50'000u);
  EXPECT_GT(adjacent, 10'000u); // accepted, with less than a lag between stages of one group
}

/// Stages 0, 2 and 4 load from buffers with one slot, and stage 6 stores to these buffers.
TEST(StageFences, EightStages) {
  std::vector<StageHazard> hazards;
  for (unsigned load : {0, 2, 4}) {
    hazards.push_back({load, 6 - int64_t(load)}); // the store overwrites the loaded data
    hazards.push_back({6, 2 + int64_t(load)});    // the next iteration loads the stored data
  }
  EXPECT_EQ(chooseFences({.numStages = 8}, hazards), (std::vector<unsigned>{5, 7}));
}

/// Existing fences are used before other slots become fences.
TEST(StageFences, FencesThatAreThere) {
  std::vector<StageHazard> hazards = {{0, 4}}; // slots 1, 2 and 3
  EXPECT_EQ(chooseFences({.numStages = 5}, hazards), (std::vector<unsigned>{3}));
  EXPECT_EQ(chooseFences({.numStages = 5, .fenced = {0, 1, 0, 0, 0}}, hazards), (std::vector<unsigned>{}));
  EXPECT_EQ(chooseFences({.numStages = 5, .fenced = {1, 0, 0, 0, 1}}, hazards), (std::vector<unsigned>{3}));
}

/// The stages are farther apart than an iteration. A fence at any slot suffices, but one is needed.
TEST(StageFences, DistancesBeyondAnIteration) {
  std::vector<StageHazard> far = {{1, 7}};
  EXPECT_EQ(chooseFences({.numStages = 3}, far).size(), 1u);
  EXPECT_EQ(chooseFences({.numStages = 3, .fenced = {1, 0, 0}}, far).size(), 0u);
}

/// A greedy choice of the end of each window would take three fences, for any first window.
TEST(StageFences, WindowsAroundTheCircle) {
  std::vector<StageHazard> hazards = {{5, 4}, {1, 3}, {3, 4}}; // slots 0 1 2, 2 3, 4 5 0
  EXPECT_EQ(chooseFences({.numStages = 6}, hazards), (std::vector<unsigned>{0, 3}));
}

/// With a lag of two stages, the distance between a store and a dependent access must be three.
TEST(StageFences, LongerLag) {
  std::vector<StageHazard> hazards = {{0, 2}};
  EXPECT_FALSE(findUnsettled({.numStages = 4}, hazards));
  EXPECT_EQ(findUnsettled({.numStages = 4, .lag = 2}, hazards), 0u);
  hazards[0].distance = 3;
  EXPECT_EQ(chooseFences({.numStages = 4, .lag = 2}, hazards), (std::vector<unsigned>{1}));
}

/// Data that stay within the groups need a fence anywhere between the two stages, for any lag.
TEST(StageFences, WithinAGroup) {
  std::vector<StageHazard> hazards = {{.src = 0, .distance = 1, .isWithinGroup = true}};
  for (unsigned lag : {1, 2}) {
    EXPECT_FALSE(findUnsettled({.numStages = 4, .lag = lag}, hazards));
    EXPECT_EQ(chooseFences({.numStages = 4, .lag = lag}, hazards), (std::vector<unsigned>{1}));
  }
  hazards = {{.src = 1, .distance = 0, .isWithinGroup = true}};
  EXPECT_EQ(findUnsettled({.numStages = 4}, hazards), 0u);
}

/// The hazard within the groups needs a fence at one of the slots 1 to 3, the hazard between the groups at slot 1. One
/// fence settles both hazards.
TEST(StageFences, WithinAGroupAndBetween) {
  std::vector<StageHazard> hazards = {{.src = 0, .distance = 3, .isWithinGroup = true}};
  EXPECT_EQ(chooseFences({.numStages = 4}, hazards), (std::vector<unsigned>{3}));
  hazards.push_back({.src = 0, .distance = 2});
  EXPECT_EQ(chooseFences({.numStages = 4}, hazards), (std::vector<unsigned>{1}));
}
