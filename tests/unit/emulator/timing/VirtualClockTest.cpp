//===- VirtualClockTest.cpp - A timing model of a compute unit -----------------------------===//
#include "emulator/timing/VirtualClock.h"
#include "emulator/timing/Timeline.h"

#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::emulator;

namespace {

const TimedEvent kMatrix = {
    .kind = TimedKind::Matrix, .unit = TimedUnit::Matrix, .issue = 4, .busy = 32, .latency = 16, .result = 0};
const TimedEvent kLoad = {
    .kind = TimedKind::SharedLoad, .unit = TimedUnit::Shared, .issue = 4, .busy = 8, .latency = 64, .result = 1};
const TimedEvent kCopy = {.kind = TimedKind::Copy, .unit = TimedUnit::Memory, .issue = 4, .busy = 16, .latency = 600};

constexpr auto kGroups = host_abi::CopyCounter::CopyGroups, kOther = host_abi::CopyCounter(1);

/// Issues the event, waiting for the unit as often as necessary.
void issue(VirtualClock &clock, unsigned warp, const TimedEvent &event) {
  while (!clock.tryIssue(warp, event))
    ;
}

VirtualClock clockOf(unsigned warps) { return {{.simds = 4, .queue = 16, .barrier = 8}, warps, 2}; }

} // namespace

TEST(VirtualClock, AMatrixCoreTakesOneInstructionAtATime) {
  VirtualClock clock = clockOf(8);
  issue(clock, 0, kMatrix);
  EXPECT_EQ(clock.now(0), 4u);
  EXPECT_FALSE(clock.tryIssue(0, kMatrix)); // busy until 32
  EXPECT_EQ(clock.now(0), 32u);
  EXPECT_TRUE(clock.tryIssue(0, kMatrix));
  EXPECT_EQ(clock.now(0), 36u);
}

TEST(VirtualClock, WarpsOfOneSimdShareItsMatrixCore) {
  VirtualClock clock = clockOf(8);
  issue(clock, 0, kMatrix);
  issue(clock, 1, kMatrix); // SIMD 1
  EXPECT_EQ(clock.now(1), 4u);
  issue(clock, 4, kMatrix); // SIMD 0, after warp 0
  EXPECT_EQ(clock.now(4), 36u);
}

TEST(VirtualClock, AResultIsThereLater) {
  VirtualClock clock = clockOf(1);
  issue(clock, 0, kMatrix);
  clock.waitForResults(0, {1});
  EXPECT_EQ(clock.now(0), 4u); // warp 1 has issued nothing
  clock.waitForResults(0, {0, 1});
  EXPECT_EQ(clock.now(0), 48u);
}

TEST(VirtualClock, MemoriesHaveQueues) {
  VirtualClock clock = clockOf(2);
  issue(clock, 0, kLoad); // served 0 to 8
  issue(clock, 1, kLoad); // 8 to 16: no wait
  EXPECT_EQ(clock.now(1), 4u);
  clock.waitForResults(1, {1});
  EXPECT_EQ(clock.now(1), 80u);
  issue(clock, 0, kLoad); // at 4, 12 clocks of work are ahead
  EXPECT_EQ(clock.now(0), 8u);
  issue(clock, 0, kLoad); // at 8, 16 clocks are ahead: as much as the queue holds
  EXPECT_EQ(clock.now(0), 12u);
  EXPECT_FALSE(clock.tryIssue(0, kLoad)); // at 12, 20 clocks are queued
  EXPECT_EQ(clock.now(0), 16u);
}

TEST(VirtualClock, AFenceWaitsForTheMemoriesItNames) {
  VirtualClock clock = clockOf(1);
  issue(clock, 0, kLoad);
  clock.waitForAccesses(0, kFencesGlobal);
  EXPECT_EQ(clock.now(0), 4u);
  clock.waitForAccesses(0, kFencesShared);
  EXPECT_EQ(clock.now(0), 72u);
}

TEST(VirtualClock, GroupsOfCopiesArriveInTheirOrder) {
  VirtualClock clock = clockOf(1);
  issue(clock, 0, kCopy); // arrives at 616
  clock.commitCopies(0, kGroups);
  issue(clock, 0, kCopy); // at 4, served from 16 on, arrives at 632
  clock.commitCopies(0, kGroups);
  clock.commitCopies(0, kGroups); // empty: arrives with the previous one
  clock.waitForCopies(0, kGroups, 3);
  EXPECT_EQ(clock.now(0), 8u);
  clock.waitForCopies(0, kGroups, 2);
  EXPECT_EQ(clock.now(0), 616u);
  clock.waitForCopies(0, kGroups, 0);
  EXPECT_EQ(clock.now(0), 632u);
}

TEST(VirtualClock, GroupsOnAnotherCounterAreNotWaitedFor) {
  VirtualClock clock = clockOf(1);
  issue(clock, 0, kCopy); // arrives at 616
  TimedEvent other = kCopy;
  other.counter = kOther;
  issue(clock, 0, other); // arrives at 632
  clock.commitCopies(0, kOther);
  clock.waitForCopies(0, kGroups, 0);
  EXPECT_EQ(clock.now(0), 8u); // its first copy is in no group yet
  clock.commitCopies(0, kGroups);
  clock.waitForCopies(0, kGroups, 0);
  EXPECT_EQ(clock.now(0), 616u);
  clock.waitForCopies(0, kOther, 0);
  EXPECT_EQ(clock.now(0), 632u);
}

TEST(VirtualClock, ABarrierOpensWithTheLastArrival) {
  VirtualClock clock = clockOf(2);
  clock.arrive(0, 3);
  clock.moveTo(1, 100);
  clock.arrive(1, 3);
  EXPECT_EQ(clock.open(3), 108u);
  clock.moveTo(0, 150);
  clock.arrive(0, 3); // for the next opening
  EXPECT_EQ(clock.open(3), 158u);
}

TEST(VirtualClock, WhoIsBehindGoesFirst) {
  VirtualClock clock = clockOf(3);
  EXPECT_TRUE(clock.isBefore(0, 1)); // equal clocks: the lower index
  clock.setPriority(1, 2);
  EXPECT_TRUE(clock.isBefore(1, 0)); // equal clocks: the higher priority
  clock.moveTo(1, 1);
  EXPECT_TRUE(clock.isBefore(0, 1));
  clock.moveTo(1, 0); // clocks never decrease
  EXPECT_EQ(clock.now(1), 1u);
}

TEST(WarpTimeline, JoinsWhatGoesOn) {
  WarpTimeline warp;
  warp.add(SliceKind::Matrix, "k.py", 3, 0, 4);
  warp.add(SliceKind::Matrix, "k.py", 3, 4, 36);
  warp.add(SliceKind::Matrix, "k.py", 4, 36, 40);
  warp.add(SliceKind::Matrix, "k.py", 4, 50, 54);
  ASSERT_EQ(warp.slices.size(), 3u);
  EXPECT_EQ(warp.slices[0].end, 36u);
  EXPECT_EQ(warp.slices[0].count, 2u);
}

TEST(WarpTimeline, AStageEndsWhereTheNextBegins) {
  WarpTimeline warp;
  warp.beginStage("load", "k.py", 2, 10);
  warp.beginStage("compute", "k.py", 5, 30);
  warp.beginStage("load", "k.py", 2, 70);
  warp.beginStage("", "k.py", 9, 70); // after the loop: no stage without length
  warp.finish(90);
  ASSERT_EQ(warp.slices.size(), 2u);
  EXPECT_EQ(warp.slices[0].label, "load");
  EXPECT_EQ(warp.slices[0].end, 30u);
  EXPECT_EQ(warp.slices[1].begin, 30u);
  EXPECT_EQ(warp.slices[1].end, 70u);
}

TEST(Timelines, SortsByBlockWarpAndBegin) {
  WarpTimeline warp;
  warp.beginStage("load", "k.py", 2, 0);
  warp.add(SliceKind::Copy, "k.py", 3, 0, 8);
  warp.finish(8);
  std::vector<WarpTimeline> second = {warp}, first = {warp, warp};
  Timelines timelines;
  timelines.add(1, second);
  timelines.add(0, first);
  std::vector<TimelineSlice> slices = timelines.take();
  ASSERT_EQ(slices.size(), 6u);
  EXPECT_EQ(slices[0].kind, SliceKind::Stage); // as long as its contents, and before them
  EXPECT_EQ(slices[1].kind, SliceKind::Copy);
  EXPECT_EQ(slices[2].warp, 1u);
  EXPECT_EQ(slices[4].block, 1u);
}

// Asynchronous operations ---------------------------------------------------------------------------------------------

namespace {
const TimedEvent kProduct = {
    .kind = TimedKind::Wgmma, .unit = TimedUnit::Matrix, .issue = 1, .busy = 128, .latency = 24};
using Async = VirtualClock::Async;
} // namespace

TEST(VirtualClock, ProductsOfWarpgroupsRunBesideTheirWarp) {
  VirtualClock clock = clockOf(8);
  issue(clock, 0, kProduct);
  issue(clock, 0, kProduct);
  EXPECT_EQ(clock.now(0), 2u);
  EXPECT_EQ(clock.lastWgmma(0), (std::pair<Clocks, Clocks>(128, 256)));
  issue(clock, 4, kProduct); // on the same SIMD
  EXPECT_EQ(clock.lastWgmma(4), (std::pair<Clocks, Clocks>(256, 384)));
  clock.commit(0, Async::Wgmmas);
  issue(clock, 0, kProduct);
  clock.commit(0, Async::Wgmmas);
  clock.waitFor(0, Async::Wgmmas, 1);
  EXPECT_EQ(clock.now(0), 280u); // the first group, and the latency to the registers
  clock.waitFor(0, Async::Wgmmas, 0);
  EXPECT_EQ(clock.now(0), 536u);
}

TEST(VirtualClock, BulkCopiesShareTheWayToMemory) {
  VirtualClock clock({.memoryBytes = 64, .memoryLatency = 500}, 2, 0);
  EXPECT_EQ(clock.startLoad(0, 16384), 756u);
  EXPECT_EQ(clock.startLoad(1, 6400), 856u);
  EXPECT_EQ(clock.now(0), 0u);
  clock.startStore(0, 640);
  clock.commit(0, Async::Stores);
  clock.commit(0, Async::ReadsOfStores);
  clock.waitFor(0, Async::ReadsOfStores, 0);
  EXPECT_EQ(clock.now(0), 366u);
  clock.waitFor(0, Async::Stores, 0);
  EXPECT_EQ(clock.now(0), 866u);
}

TEST(VirtualClock, CopiesThatNobodyHasCommittedArriveToo) {
  VirtualClock clock = clockOf(1);
  issue(clock, 0, kCopy);
  EXPECT_EQ(clock.arrivalOfCopies(0, kGroups), 616u);
  EXPECT_EQ(clock.arrivalOfCopies(0, kOther), 0u);
}
