//===- StageFencesOracleTest.cpp - The fences of warp pipelines suffice, and are a minimum --------------===//
//
// The oracle does not use windows or distances. It simulates the schedule period by period; a period is the time
// between two barriers. A group *begins* a stage when it runs the stage, and has *completed* it when the group passes a
// fence after it.
//
//     period     0     1     2     3     4
//     group 0    c0    c1    c2    c0    c1       a loop of three stages, lags 0 and 1: group 1 spends
//     group 1          c0    c1    c2    c0       the first period at a barrier
//
// A buffer has one part for each group. A stage accesses a buffer in one of three ways: each group accesses
// its own part, pairs of groups access each other's parts, or all groups access the whole buffer. Whether two stages
// conflict may thus depend on which groups run them.
//
// Two stages conflict if they access the same part, and one of them writes. It is a race if a group runs a stage that
// conflicts with a stage of one of the groups, and this other stage
//   - has been begun by that group, and has not been completed (another warp may be affected), or
//   - is later in the program, but that group, another one, has begun it already.
// A stage that only writes a buffer, or only reads it, does not race with itself: each warp writes its own part.
//
// The test draws random pipelines of 2 to 8 stages that read and write 1 to 4 buffers, in loops and in straight-line
// code, with two to four groups and random lags, until 100,000 plans have fences. A plan must not race. It must race if
// any one of its fences is left out. Every set with one fence less must race, so the plan is a minimum. A pipeline must
// be rejected exactly if it races with fences at all slots.
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

constexpr unsigned kMaxGroups = 4, kAll = kMaxGroups;

struct Access {
  unsigned buffer = 0;
  /// Groups g and g ^ partner access each other's parts; kAll for the whole buffer. A group without a partner accesses
  /// its own part.
  unsigned partner = kAll;
  bool writes = false;
  /// Returns the parts as bits.
  unsigned partsOf(unsigned group, unsigned groups) const {
    unsigned other = (group ^ partner) < groups ? group ^ partner : group;
    unsigned parts = partner == kAll ? (1u << groups) - 1 : 1u << other;
    return parts << kMaxGroups * buffer;
  }
};
using Stage = std::vector<Access>;

/// A pipeline. Sets of slots are masks.
struct Pipeline {
  std::vector<Stage> stages;
  std::vector<unsigned> lags = {0, 1};
  bool isLoop = true;
  unsigned given = 0; ///< slots that already are fences

  unsigned groups() const { return unsigned(lags.size()); }
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
    total = pipeline.isLoop ? 4 * pipeline.size() + 2 * pipeline.lags.back() : pipeline.size();
    for (unsigned mine = 0; mine < pipeline.groups(); ++mine)
      for (unsigned other = 0; other < pipeline.groups(); ++other)
        for (unsigned run = 0; run < total; ++run)
          clashes[mine][other].push_back(findClashes(run, mine, other));
  }

  bool races(unsigned fences) const {
    struct {
      unsigned next = 0;
      Runs open = 0;
    } groups[kMaxGroups];
    unsigned count = pipeline.groups();
    for (unsigned period = 0; period < total + pipeline.lags.back(); ++period) {
      auto runs = [&](unsigned i) { return period >= pipeline.lags[i] && period < total + pipeline.lags[i]; };
      for (unsigned i = 0; i < count; ++i)
        if (runs(i))
          groups[i].open |= Runs(1) << groups[i].next++;
      for (unsigned i = 0; i < count; ++i) {
        if (!runs(i))
          continue;
        unsigned run = groups[i].next - 1;
        for (unsigned other = 0; other < count; ++other) {
          Runs begun = (Runs(1) << groups[other].next) - 1, later = other == i ? 0 : ~Runs(0) << run << 1;
          if (clashes[i][other][run] & (groups[other].open | (begun & later)))
            return true;
        }
      }
      for (unsigned i = 0; i < count; ++i)
        if (runs(i) && (fences >> groups[i].next % pipeline.size() & 1))
          groups[i].open = 0;
    }
    return false;
  }

private:
  const Stage &stageOf(unsigned run) const { return pipeline.stages[run % pipeline.size()]; }

  /// True if the stage both reads and writes a buffer. Nothing orders the groups or the warps within a stage.
  bool isInItselfARace(const Stage &stage) const {
    unsigned touched[2] = {};
    for (const Access &access : stage)
      for (unsigned group = 0; group < pipeline.groups(); ++group)
        touched[access.writes] |= access.partsOf(group, pipeline.groups());
    return touched[0] & touched[1];
  }

  bool overlap(const Access &a, unsigned group, const Access &b, unsigned otherGroup) const {
    return a.partsOf(group, pipeline.groups()) & b.partsOf(otherGroup, pipeline.groups());
  }

  Runs findClashes(unsigned run, unsigned group, unsigned otherGroup) const {
    Runs found = isInItselfARace(stageOf(run)) ? Runs(1) << run : 0;
    for (unsigned other = 0; other < total; ++other)
      for (const Access &a : stageOf(run))
        for (const Access &b : stageOf(other))
          if (other != run && (a.writes || b.writes) && overlap(a, group, b, otherGroup))
            found |= Runs(1) << other;
    return found;
  }

  const Pipeline &pipeline;
  unsigned total;
  /// For each executed stage of a group: the executed stages of the same group or the other group that conflict with
  /// it.
  std::vector<Runs> clashes[kMaxGroups][kMaxGroups];
};
} // namespace

/// Returns lags of two, three or four groups. In half of the pipelines, each group is one stage, or two, behind the
/// previous group. In the others, groups may have equal lags.
static std::vector<unsigned> randomLags(std::mt19937 &random) {
  unsigned groups = 2 + random() % 3, gap = 1 + random() % 2;
  std::vector<unsigned> lags = {0};
  bool areRegular = groups == 2 || random() % 2;
  while (lags.size() < groups)
    lags.push_back(lags.back() + (areRegular ? gap : random() % 3));
  lags.back() = std::max(lags.back(), 1u);
  return lags;
}

/// Each stage accesses each buffer with the same small, random probability. In every second buffer, each group has a
/// part of its own.
static Pipeline randomPipeline(std::mt19937 &random) {
  Pipeline pipeline;
  pipeline.stages.resize(2 + random() % (kMaxStages - 1));
  pipeline.lags = randomLags(random);
  pipeline.isLoop = random() % 2;
  pipeline.given = random() % 4 == 0 ? random() & pipeline.slots() : 0;
  unsigned buffers = 1 + random() % 4, percent = 5 + random() % 30, isDivided = random();
  // With one kind of pairs, data pass in both directions between the groups of a pair. For data that pass in only one
  // direction, the analysis is stricter than necessary.
  const unsigned partners[] = {0, 1 + unsigned(random() % (pipeline.groups() == 2 ? 1 : 3)), kAll};
  for (Stage &stage : pipeline.stages)
    for (unsigned buffer = 0; buffer < buffers; ++buffer) {
      unsigned partner = isDivided >> buffer & 1 ? 0 : partners[random() % 3];
      bool writes = random() % 3 == 0;
      if (random() % 100 < percent)
        stage.push_back({buffer, partner, writes});
      if (random() % 1000 < percent)
        stage.push_back({buffer, partner, !writes});
    }
  return pipeline;
}

/// Returns the maximum difference between the lags of two groups that access the same part.
static unsigned lagBetween(const Pipeline &pipeline, const Access &from, const Access &to) {
  unsigned count = pipeline.groups(), lag = 0;
  for (unsigned a = 0; a < count; ++a)
    for (unsigned b = a; b < count; ++b)
      if ((from.partsOf(a, count) & to.partsOf(b, count)) || (from.partsOf(b, count) & to.partsOf(a, count)))
        lag = std::max(lag, pipeline.lags[b] - pipeline.lags[a]);
  return lag;
}

/// Returns the input of the analysis: pairs of accesses, up to two iterations apart, or as far as the lags reach.
static std::vector<StageHazard> hazardsOf(const Pipeline &pipeline) {
  std::vector<StageHazard> hazards;
  unsigned size = pipeline.size(), end = pipeline.isLoop ? 3 * size + pipeline.lags.back() : size;
  for (unsigned src = 0; src < size; ++src)
    for (unsigned dst = src; dst < end; ++dst)
      for (const Access &from : pipeline.stages[src])
        for (const Access &to : pipeline.stages[dst % size]) {
          bool isOfOneStage = src == dst && from.writes == to.writes;
          if (from.buffer != to.buffer || !(from.writes || to.writes) || isOfOneStage)
            continue;
          hazards.push_back({src, int64_t(dst) - src, lagBetween(pipeline, from, to)});
        }
  return hazards;
}

static StageSchedule scheduleOf(const Pipeline &pipeline) {
  StageSchedule schedule{pipeline.size(), pipeline.isLoop, std::vector<bool>(pipeline.size())};
  for (unsigned slot = 0; slot < pipeline.size(); ++slot)
    schedule.fenced[slot] = pipeline.given >> slot & 1;
  return schedule;
}

static std::string draw(const Pipeline &pipeline, unsigned fences) {
  std::ostringstream text;
  text << (pipeline.isLoop ? "loop" : "line") << ", lags";
  for (unsigned lag : pipeline.lags)
    text << " " << lag;
  text << ", given " << pipeline.given << ", fences " << fences << ":";
  for (const Stage &stage : pipeline.stages) {
    text << " |";
    for (const Access &access : stage)
      text << (access.writes ? " write " : " read ") << access.buffer << " partner " << access.partner;
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
  unsigned rejections = 0, fenced = 0, adjacent = 0, counts[kMaxGroups + 1] = {};
  while (fenced < 100'000) {
    Pipeline pipeline = randomPipeline(random);
    Oracle oracle(pipeline);
    std::vector<StageHazard> hazards = hazardsOf(pipeline);
    StageSchedule schedule = scheduleOf(pipeline);
    bool rejected = findUnsettled(hazards).has_value();
    ASSERT_EQ(rejected, oracle.races(pipeline.slots())) << draw(pipeline, pipeline.slots());
    rejections += rejected;
    if (rejected)
      continue;

    unsigned fences = 0;
    for (unsigned slot : chooseFences(schedule, hazards))
      fences |= 1u << slot;
    fenced += fences != 0;
    adjacent += std::ranges::any_of(
        hazards, [&](const StageHazard &hazard) { return hazard.distance <= int64_t(pipeline.lags.back()); });
    counts[pipeline.groups()] += fences != 0;
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
  EXPECT_GT(adjacent, 10'000u); // accepted, with less than the largest lag between two stages
  for (unsigned groups : {2, 3, 4})
    EXPECT_GT(counts[groups], 10'000u);
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
  EXPECT_FALSE(findUnsettled(hazards));
  hazards[0].lag = 2;
  EXPECT_EQ(findUnsettled(hazards), 0u);
  hazards[0].distance = 3;
  EXPECT_EQ(chooseFences({.numStages = 4}, hazards), (std::vector<unsigned>{1}));
}

/// Data that stay within the groups need a fence anywhere between the two stages.
TEST(StageFences, WithinAGroup) {
  std::vector<StageHazard> hazards = {{.src = 0, .distance = 1, .lag = 0}};
  EXPECT_FALSE(findUnsettled(hazards));
  EXPECT_EQ(chooseFences({.numStages = 4}, hazards), (std::vector<unsigned>{1}));
  hazards = {{.src = 1, .distance = 0, .lag = 0}};
  EXPECT_EQ(findUnsettled(hazards), 0u);
}

/// The hazard within the groups needs a fence at one of the slots 1 to 3, the hazard between the groups at slot 1. One
/// fence settles both hazards.
TEST(StageFences, WithinAGroupAndBetween) {
  std::vector<StageHazard> hazards = {{.src = 0, .distance = 3, .lag = 0}};
  EXPECT_EQ(chooseFences({.numStages = 4}, hazards), (std::vector<unsigned>{3}));
  hazards.push_back({.src = 0, .distance = 2});
  EXPECT_EQ(chooseFences({.numStages = 4}, hazards), (std::vector<unsigned>{1}));
}

/// Four groups with lags 0, 1, 2 and 3. Neighbors exchange data over two stages, the first and the last group over four.
TEST(StageFences, PairsOfGroups) {
  std::vector<StageHazard> hazards = {{.src = 0, .distance = 2, .lag = 1}, {.src = 0, .distance = 4, .lag = 3}};
  EXPECT_EQ(chooseFences({.numStages = 6}, hazards), (std::vector<unsigned>{1}));
  hazards[1].distance = 3;
  EXPECT_EQ(findUnsettled(hazards), 1u);
}
