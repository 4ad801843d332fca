//===- StageFencesOracleTest.cpp - The fences of warp pipelines are enough, and the fewest --------------===//
//
// The oracle knows no windows and no distances. It plays the schedule, one period between two barriers after the other.
// A group that runs a stage *begins* it, and has *completed* it when it passes a fence behind it.
//
//     period    0     1     2     3     4
//     low       c0    c1    c2    c0    c1       a loop of three stages, lag 1: the high group spends
//     high            c0    c1    c2    c0       the first period at a barrier
//
// It is a race if a group runs a stage, and a stage that touches the same buffer, one of the two writing,
//   - has been begun by some group, and not been completed (what one warp did, another may meet), or
//   - comes later in the program, but the other group has begun it already.
// A stage that only writes, or only reads, a buffer does not race with itself: each warp writes a part of its own.
//
// Random pipelines of 2 to 8 stages that read and write 1 to 4 buffers, in loops and straight lines, with lag 1 and 2,
// until 100,000 plans had fences. A plan must not race, and must race when any one of its fences is left out; no set
// with one fence less may do, whichever it is (so the plan is the smallest); a pipeline must be rejected exactly where
// fences at all slots race.
//
//===----------------------------------------------------------------------------------------------------===//
#include "analysis/StageFences.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <sstream>

using namespace hocket;

namespace {
constexpr unsigned kMaxStages = 8;

struct Stage {
  unsigned reads = 0, writes = 0; ///< sets of buffers
  bool touchesSameAs(const Stage &other) const {
    return (writes & (other.reads | other.writes)) || (reads & other.writes);
  }
};

/// Sets of slots are masks.
struct Pipeline {
  std::vector<Stage> stages;
  unsigned lag = 1;
  bool isLoop = true;
  unsigned given = 0; ///< slots that are fences anyway

  unsigned size() const { return unsigned(stages.size()); }
  /// A straight line has no slot 0.
  unsigned slots() const { return (1u << size()) - (isLoop ? 1 : 2); }
};

/// A set of stages that are run: bit 9 is the second stage of the second iteration of a loop of eight.
using Runs = uint64_t;

/// Plays pipelines of up to 64 runs of stages.
class Oracle {
public:
  explicit Oracle(const Pipeline &pipeline) : pipeline(pipeline) {
    total = pipeline.isLoop ? 4 * pipeline.size() + 2 * pipeline.lag : pipeline.size();
    for (unsigned run = 0; run < total; ++run) {
      const Stage &stage = stageOf(run);
      clashes.push_back(stage.reads & stage.writes ? Runs(1) << run : 0);
      for (unsigned other = 0; other < total; ++other)
        if (other != run && stage.touchesSameAs(stageOf(other)))
          clashes[run] |= Runs(1) << other;
    }
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
        unsigned run = groups[i].next - 1;
        Runs begunByOther = (Runs(1) << groups[1 - i].next) - 1, later = ~Runs(0) << run << 1;
        if (clashes[run] & (groups[0].open | groups[1].open | (begunByOther & later)))
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

  const Pipeline &pipeline;
  unsigned total;
  std::vector<Runs> clashes; ///< of each run: those that touch the same
};
} // namespace

/// Each stage touches each buffer with the same small, random probability.
static Pipeline randomPipeline(std::mt19937 &random) {
  Pipeline pipeline;
  pipeline.stages.resize(2 + random() % (kMaxStages - 1));
  pipeline.lag = 1 + random() % 2;
  pipeline.isLoop = random() % 2;
  pipeline.given = random() % 4 == 0 ? random() & pipeline.slots() : 0;
  unsigned buffers = 1 + random() % 4, percent = 5 + random() % 30;
  for (Stage &stage : pipeline.stages)
    for (unsigned buffer = 0; buffer < buffers; ++buffer)
      if (random() % 100 < percent)
        (random() % 3 ? stage.reads : stage.writes) |= 1u << buffer;
  return pipeline;
}

/// What the analysis is told: pairs of stages, up to two iterations apart.
static std::vector<StageHazard> hazardsOf(const Pipeline &pipeline) {
  std::vector<StageHazard> hazards;
  unsigned size = pipeline.size(), end = pipeline.isLoop ? 3 * size : size;
  for (unsigned src = 0; src < size; ++src)
    for (unsigned dst = src; dst < end; ++dst) {
      const Stage &from = pipeline.stages[src], &to = pipeline.stages[dst % size];
      if (src == dst ? (from.reads & from.writes) != 0 : from.touchesSameAs(to))
        hazards.push_back({src, int64_t(dst) - src});
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
  for (const Stage &stage : pipeline.stages)
    text << " r" << stage.reads << "w" << stage.writes;
  return text.str();
}

/// Some set of `count` slots, besides the given ones, that does not race; 0 if there is none.
static unsigned findFences(const Pipeline &pipeline, const Oracle &oracle, int count) {
  for (unsigned fences = 0; fences < 1u << pipeline.size(); ++fences)
    if ((fences & ~(pipeline.slots() & ~pipeline.given)) == 0 && std::popcount(fences) == count &&
        !oracle.races(fences | pipeline.given))
      return fences | 1u << kMaxStages;
  return 0;
}

TEST(StageFencesOracle, PlansAreEnoughAndSmallest) {
  std::mt19937 random(4);
  unsigned rejections = 0, fenced = 0;
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
    ASSERT_EQ(fences & ~(pipeline.slots() & ~pipeline.given), 0u) << draw(pipeline, fences);
    ASSERT_FALSE(oracle.races(fences | pipeline.given)) << draw(pipeline, fences);
    for (unsigned slot = 0; slot < pipeline.size(); ++slot)
      if (fences >> slot & 1)
        ASSERT_TRUE(oracle.races((fences & ~(1u << slot)) | pipeline.given)) << draw(pipeline, fences);
    if (fences)
      ASSERT_EQ(findFences(pipeline, oracle, std::popcount(fences) - 1), 0u) << draw(pipeline, fences);
  }
  // The test is about something.
  EXPECT_GT(rejections, 50'000u);
}

/// Loads in stages 0, 2 and 4, a store in stage 6, into buffers with one slot.
TEST(StageFences, EightStages) {
  std::vector<StageHazard> hazards;
  for (unsigned load : {0, 2, 4}) {
    hazards.push_back({load, 6 - int64_t(load)}); // the store overwrites what was read
    hazards.push_back({6, 2 + int64_t(load)});    // and is read in the next iteration
  }
  EXPECT_EQ(chooseFences({.numStages = 8}, hazards), (std::vector<unsigned>{5, 7}));
}

/// A slot that is a fence already is used before others are made fences.
TEST(StageFences, FencesThatAreThere) {
  std::vector<StageHazard> hazards = {{0, 4}}; // slots 1, 2 and 3
  EXPECT_EQ(chooseFences({.numStages = 5}, hazards), (std::vector<unsigned>{3}));
  EXPECT_EQ(chooseFences({.numStages = 5, .fenced = {0, 1, 0, 0, 0}}, hazards), (std::vector<unsigned>{}));
  EXPECT_EQ(chooseFences({.numStages = 5, .fenced = {1, 0, 0, 0, 1}}, hazards), (std::vector<unsigned>{3}));
}

/// Farther apart than an iteration: any slot will do, but one is needed.
TEST(StageFences, DistancesBeyondAnIteration) {
  std::vector<StageHazard> far = {{1, 7}};
  EXPECT_EQ(chooseFences({.numStages = 3}, far).size(), 1u);
  EXPECT_EQ(chooseFences({.numStages = 3, .fenced = {1, 0, 0}}, far).size(), 0u);
}

/// Taking the end of each window in turn, starting anywhere, would take three.
TEST(StageFences, WindowsAroundTheCircle) {
  std::vector<StageHazard> hazards = {{5, 4}, {1, 3}, {3, 4}}; // slots 0 1 2, 2 3, 4 5 0
  EXPECT_EQ(chooseFences({.numStages = 6}, hazards), (std::vector<unsigned>{0, 3}));
}

/// The group that lags two stages needs three between a store and what must follow it.
TEST(StageFences, LongerLag) {
  std::vector<StageHazard> hazards = {{0, 2}};
  EXPECT_FALSE(findUnsettled({.numStages = 4}, hazards));
  EXPECT_EQ(findUnsettled({.numStages = 4, .lag = 2}, hazards), 0u);
  hazards[0].distance = 3;
  EXPECT_EQ(chooseFences({.numStages = 4, .lag = 2}, hazards), (std::vector<unsigned>{1}));
}
