//===- WarpSchedulerTest.cpp - Waves that run next, also in adversarial orders --------------------------===//
#include "TestKernel.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace hocket;

namespace {

/// The body of a kernel of four waves. %wave is the index of the wave, and each `note` appends the index to %log.
struct Log {
  std::string text = R"(
    %tid = rocdl.workitem.id.x : i32
    %six = llvm.mlir.constant(6 : i32) : i32
    %mask = llvm.mlir.constant(63 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %lane = llvm.and %tid, %mask : i32
    %wave = llvm.lshr %tid, %six : i32
    %first = llvm.icmp "eq" %lane, %zero : i32
)";
  int notes = 0;

  Log &add(const std::string &operations) { return text += operations + "\n", *this; }
  Log &note() {
    std::string n = std::to_string(notes++);
    return add("%i" + n + " = lane.atomic_rmw add relaxed cta, %count, %one, pred %first : !llvm.ptr<1>, i32\n%p" + n +
               " = llvm.getelementptr %log[%i" + n + "] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\nlane.store %p" + n +
               ", %wave, pred %first : !llvm.ptr<1>, i32");
  }
};

constexpr int kWaves = 4;

/// True for every fourth seed, from 3 on, which ranks the waves.
bool isAdversarial(uint64_t seed) { return seed % 4 == 3; }

/// Returns the indices of the waves in the order of their notes.
std::vector<int32_t> run(const EmulatedKernel &kernel, uint64_t seed = 0) {
  std::vector<int32_t> log(64, -1), count(1);
  EXPECT_EQ(
      textOf(kernel.launch({1, 1, 1}, {array("log", log, "int32"), array("count", count, "int32")}, {.seed = seed})),
      "ok");
  log.resize(size_t(count[0]));
  return log;
}

std::unique_ptr<EmulatedKernel> compileLog(const Log &log) {
  return compile({.target = "gfx950",
                  .numWarps = kWaves,
                  .sharedBytes = 16,
                  .parameters = "%log: !llvm.ptr<1>, %count: !llvm.ptr<1>",
                  .body = log.text});
}

TEST(WarpScheduler, SeedsVaryTheOrderOfWaves) {
  constexpr int kRounds = 4, kSeeds = 40;
  for (std::string point : {"rocdl.s.barrier", "rocdl.s.setprio 0", "rocdl.s.sleep 1"}) {
    Log log;
    for (int round = 0; round < kRounds; ++round)
      log.note().add(point);
    auto kernel = compileLog(log);
    std::set<std::vector<int32_t>> orders[kRounds];
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      std::vector<int32_t> waves = run(*kernel, seed);
      ASSERT_EQ(waves.size(), size_t(kWaves * kRounds));
      for (int round = 0; round < kRounds; ++round)
        orders[round].emplace(waves.begin() + round * kWaves, waves.begin() + (round + 1) * kWaves);
    }
    // Four waves can pass a barrier in 24 orders. Points that do not make the waves wait have more orders.
    for (const auto &ofRound : orders)
      EXPECT_GE(ofRound.size(), 12u) << point;
  }
}

/// The lanes of a wave converge after each note.
std::unique_ptr<EmulatedKernel> compileLogOfConvergence() {
  Log log;
  for (int round = 0; round < 8; ++round)
    log.note().add("%s" + std::to_string(round) + " = rocdl.ds_bpermute %lane, %wave : (i32, i32) -> i32");
  return compileLog(log);
}

TEST(WarpScheduler, SeedsSwitchWavesWhereLanesConverge) {
  auto kernel = compileLogOfConvergence();
  std::set<std::vector<int32_t>> orders;
  size_t interleaved = 0;
  for (uint64_t seed = 1; seed <= 26; ++seed) {
    if (isAdversarial(seed))
      continue;
    std::vector<int32_t> waves = run(*kernel, seed);
    orders.insert(waves);
    size_t changes = 0;
    for (size_t i = 1; i < waves.size(); ++i)
      changes += waves[i] != waves[i - 1];
    interleaved += changes > kWaves;
  }
  EXPECT_EQ(orders.size(), 20u);
  EXPECT_GE(interleaved, 18u);
}

TEST(WarpScheduler, AdversarialSeedsLetAWaveRunFarAhead) {
  auto kernel = compileLogOfConvergence();
  std::set<std::vector<int32_t>> orders;
  for (uint64_t seed = 3; seed < 160; seed += 4) {
    ASSERT_TRUE(isAdversarial(seed));
    std::vector<int32_t> waves = run(*kernel, seed);
    waves.erase(std::unique(waves.begin(), waves.end()), waves.end());
    EXPECT_EQ(waves.size(), size_t(kWaves)) << seed;
    orders.insert(waves);
  }
  EXPECT_GE(orders.size(), 12u); // of 24
}

TEST(WarpScheduler, AdversarialSeedsKeepTheRanksAfterABarrier) {
  auto kernel = compileLog(Log().note().add("rocdl.s.barrier").note().add("rocdl.s.barrier").note());
  for (uint64_t seed = 3; seed < 40; seed += 4) {
    std::vector<int32_t> waves = run(*kernel, seed);
    ASSERT_EQ(waves.size(), size_t(3 * kWaves));
    for (size_t i = kWaves; i < waves.size(); ++i)
      EXPECT_EQ(waves[i], waves[i - kWaves]) << seed;
  }
}

/// Sets the priority of wave n to n.
Log withPriorities() {
  return Log().add(R"(
    llvm.switch %wave : i32, ^p0 [1: ^p1, 2: ^p2, 3: ^p3]
  ^p1:
    rocdl.s.setprio 1
    llvm.br ^p0
  ^p2:
    rocdl.s.setprio 2
    llvm.br ^p0
  ^p3:
    rocdl.s.setprio 3
    llvm.br ^p0
  ^p0:
    rocdl.s.barrier)");
}

TEST(WarpScheduler, TheHighestPriorityGoesFirst) {
  auto kernel = compileLog(withPriorities().note().add("rocdl.s.barrier").note());
  EXPECT_EQ(run(*kernel), (std::vector<int32_t>{3, 2, 1, 0, 3, 2, 1, 0}));
}

TEST(WarpScheduler, AWaveThatLowersItsPriorityGivesWay) {
  auto kernel = compileLog(withPriorities().note().add("rocdl.s.setprio 0").note());
  // Waves 3, 2 and 1 in this order become equal to wave 0; from then on the waves alternate round-robin.
  EXPECT_EQ(run(*kernel), (std::vector<int32_t>{3, 2, 1, 2, 3, 0, 1, 0}));
}

TEST(WarpScheduler, OtherSeedsMostlyFollowPriorities) {
  auto kernel = compileLog(withPriorities().note());
  int first = 0, seeds = 200;
  std::set<std::vector<int32_t>> orders;
  for (int seed = 1; seed <= seeds; ++seed) {
    std::vector<int32_t> waves = run(*kernel, uint64_t(seed));
    first += waves[0] == kWaves - 1;
    orders.insert(waves);
  }
  EXPECT_GE(first, seeds / 2);
  EXPECT_LT(first, seeds);
  EXPECT_GE(orders.size(), 5u);
}

TEST(WarpScheduler, AWaveThatWaitsInALoopDoesNotStarveOthers) {
  // Waves 1 to 3, of high priorities, wait for a value that wave 0 writes.
  auto kernel = compileLog(withPriorities()
                               .add(R"(
    %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %lowest = llvm.icmp "eq" %wave, %zero : i32
    llvm.cond_br %lowest, ^signal, ^wait
  ^signal:
    %old = llvm.atomicrmw xchg %s, %one monotonic : !llvm.ptr<3>, i32
    llvm.br ^end
  ^wait:
    %v = llvm.atomicrmw add %s, %zero monotonic : !llvm.ptr<3>, i32
    %come = llvm.icmp "eq" %v, %one : i32
    llvm.cond_br %come, ^end, ^wait
  ^end:)")
                               .note());
  for (uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_EQ(run(*kernel, seed).size(), size_t(kWaves)) << seed;
}

/// A barrier of a pipeline. After the barrier, each wave must be at most one barrier away from this wave: %worst is the
/// maximum observed distance, and %passed counts the barriers that the wave has passed.
std::string barrierOf(const std::string &before, const std::string &after) {
  std::string text = R"(
    rocdl.s.barrier
    %passed# = llvm.add %passed@, %one : i32
    lane.store %mine, %passed# : !llvm.ptr<1>, i32
    %all# = lane.load %progress : !llvm.ptr<1> -> vector<4xi32>
    %most# = "llvm.intr.vector.reduce.smax"(%all#) : (vector<4xi32>) -> i32
    %least# = "llvm.intr.vector.reduce.smin"(%all#) : (vector<4xi32>) -> i32
    %apart# = llvm.sub %most#, %least# : i32
    %worst# = llvm.intr.smax(%worst@, %apart#) : (i32, i32) -> i32
)";
  for (char place : {'#', '@'})
    for (size_t at = text.find(place); at != std::string::npos; at = text.find(place))
      text.replace(at, 1, place == '#' ? after : before);
  return text;
}

/// Two groups of two waves run a loop of two stages. The second group is one stage behind: it passes one more barrier
/// before the loop, and the first group passes one more barrier after the loop.
TestKernel staggeredPipeline() {
  Log log;
  log.add(R"(
    %two = llvm.mlir.constant(2 : i32) : i32
    %upper = llvm.icmp "sge" %wave, %two : i32
    %mine = llvm.getelementptr %progress[%wave] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %out = llvm.getelementptr %result[%wave] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.cond_br %upper, ^early, ^loop(%zero, %zero, %zero : i32, i32, i32)
  ^early:
    %passedA = llvm.mlir.constant(0 : i32) : i32
    %worstA = llvm.mlir.constant(0 : i32) : i32)" +
          barrierOf("A", "B") + R"(
    llvm.br ^loop(%zero, %passedB, %worstB : i32, i32, i32)
  ^loop(%i: i32, %passedC: i32, %worstC: i32):
    %more = llvm.icmp "slt" %i, %trips : i32
    llvm.cond_br %more, ^body, ^after
  ^body:)" +
          barrierOf("C", "D") + barrierOf("D", "E") + R"(
    %next = llvm.add %i, %one : i32
    llvm.br ^loop(%next, %passedE, %worstE : i32, i32, i32)
  ^after:
    llvm.cond_br %upper, ^end(%worstC : i32), ^late
  ^late:)" +
          barrierOf("C", "F") + R"(
    llvm.br ^end(%worstF : i32)
  ^end(%worst: i32):
    lane.store %out, %worst : !llvm.ptr<1>, i32)");
  return {.target = "gfx950",
          .numWarps = kWaves,
          .parameters = "%progress: !llvm.ptr<1>, %result: !llvm.ptr<1>, %trips: i32",
          .body = log.text};
}

TEST(WarpScheduler, StaggeredGroupsMeetAtDifferentBarriers) {
  auto kernel = compile(staggeredPipeline());
  for (int trips : {0, 1, 2, 3, 7})
    for (uint64_t seed = 0; seed < 10; ++seed) {
      alignas(16) std::array<int32_t, kWaves> progress = {};
      std::vector<int32_t> result(kWaves, -1);
      EXPECT_EQ(textOf(kernel->launch({1, 1, 1},
                                      {ArrayArgument{"progress", progress.data(), 16, true, "int32"},
                                       array("result", result, "int32"), scalar(uint64_t(trips))},
                                      {.seed = seed, .races = false})), // each wave reads the progress of the others
                "ok");
      for (int wave = 0; wave < kWaves; ++wave) {
        EXPECT_EQ(progress[size_t(wave)], 2 * trips + 1) << "trips " << trips << " seed " << seed;
        EXPECT_LE(result[size_t(wave)], 1) << "trips " << trips << " seed " << seed;
      }
    }
}

TEST(WarpScheduler, UnequalNumbersOfBarriersAreADeadlock) {
  // Warp n passes counts[n] barriers. NVIDIA's barriers also wait for warps that have ended.
  auto kernel = compile({.numWarps = 2, .parameters = "%counts: !llvm.ptr<1>", .body = R"(
    %wave = nvvm.read.ptx.sreg.warpid : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %p = llvm.getelementptr %counts[%wave] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %n = lane.load %p : !llvm.ptr<1> -> i32
    llvm.br ^loop(%zero : i32)
  ^loop(%i: i32):
    %more = llvm.icmp "slt" %i, %n : i32
    llvm.cond_br %more, ^body, ^end
  ^body:
    nvvm.barrier0 loc("k.py":7:9)
    %next = llvm.add %i, %one : i32
    llvm.br ^loop(%next : i32)
  ^end:)"});
  auto run = [&](int32_t first, int32_t second) {
    std::vector<int32_t> counts = {first, second};
    return textOf(kernel->launch({1, 1, 1}, {array("counts", counts, "int32")}));
  };
  EXPECT_EQ(run(0, 0), "ok");
  EXPECT_EQ(run(5, 5), "ok");
  EXPECT_EQ(run(4, 3), "k.py:7:9: error: deadlock: lanes wait for lanes that never arrive\n"
                       "  at:        block (0, 0, 0)\n"
                       "  waiting:   warp 0 at the barrier in line 7, where 32 of 64 threads have arrived\n"
                       "  finished:  warp 1\n"
                       "  hint:      all warps must execute the same barriers and reductions");
}

} // namespace
