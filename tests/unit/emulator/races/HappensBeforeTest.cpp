//===- HappensBeforeTest.cpp - Accesses of shared memory that are ordered ----------------------===//
#include "emulator/races/HappensBefore.h"

#include <gtest/gtest.h>

namespace hocket::emulator {
namespace {

/// Warps that pass one barrier, each with states before and after.
struct TwoWarps {
  HappensBefore order{2};
  std::array<ClockStateRef, 2> warps;
  uint64_t openings = 0;

  TwoWarps() {
    order.beginBlock();
    for (uint32_t warp = 0; warp < 2; ++warp)
      warps[warp] = order.firstState(warp);
  }
  void release(uint32_t warp) { warps[warp] = order.release(warps[warp]); }
  void acquire(uint32_t warp) { warps[warp] = order.acquire(warps[warp]); }
  void passBarrier() {
    VectorClock passedOn;
    for (const ClockStateRef &clocks : warps)
      passedOn.join(clocks->released);
    ++openings;
    for (ClockStateRef &clocks : warps)
      clocks = order.receive(clocks, passedOn, openings);
  }
  Epoch now(uint32_t warp) const { return warps[warp]->epoch; }
};

TEST(HappensBefore, WarpsOfANewBlockAreUnordered) {
  TwoWarps block;
  EXPECT_FALSE(block.warps[1]->isAfter(0, block.now(0)));
  EXPECT_FALSE(block.warps[0]->isAfter(1, block.now(1)));
  EXPECT_TRUE(block.warps[0]->isAfter(0, block.now(0))) << "lanes of one warp are in order";
}

TEST(HappensBefore, ReleaseBarrierAcquireOrder) {
  TwoWarps block;
  Epoch before = block.now(0);
  block.release(0);
  block.passBarrier();
  Epoch after = block.now(0);
  EXPECT_FALSE(block.warps[1]->isAfter(0, before)) << "not acquired yet";
  block.acquire(1);
  EXPECT_TRUE(block.warps[1]->isAfter(0, before));
  EXPECT_FALSE(block.warps[1]->isAfter(0, after)) << "what follows the release is not passed on";
}

TEST(HappensBefore, EachOfTheThreeIsNeeded) {
  for (int missing = 0; missing < 3; ++missing) {
    TwoWarps block;
    Epoch before = block.now(0);
    if (missing != 0)
      block.release(0);
    if (missing != 1)
      block.passBarrier();
    if (missing != 2)
      block.acquire(1);
    EXPECT_FALSE(block.warps[1]->isAfter(0, before)) << missing;
  }
}

TEST(HappensBefore, AnEarlierReleaseIsPassedOnByALaterBarrier) {
  TwoWarps block;
  Epoch before = block.now(0);
  block.release(0);
  Epoch between = block.now(0);
  block.passBarrier();
  block.passBarrier();
  block.acquire(1);
  EXPECT_TRUE(block.warps[1]->isAfter(0, before));
  EXPECT_FALSE(block.warps[1]->isAfter(0, between));
}

TEST(HappensBefore, OrderIsPassedOnThroughAThirdWarp) {
  HappensBefore order(3);
  order.beginBlock();
  ClockStateRef a = order.firstState(0), b = order.firstState(1), c = order.firstState(2);
  Epoch before = a->epoch;
  a = order.release(a);
  b = order.acquire(order.receive(b, a->released, 1));
  c = order.acquire(order.receive(c, order.release(b)->released, 2));
  EXPECT_TRUE(c->isAfter(0, before));
}

TEST(HappensBefore, BlocksAreInOrder) {
  TwoWarps block;
  block.release(0);
  block.acquire(0);
  Epoch last = block.now(0);
  block.order.beginBlock();
  ClockStateRef next = block.order.firstState(1);
  EXPECT_TRUE(next->isAfter(0, last));
  EXPECT_GE(next->floor, last);
}

TEST(HappensBefore, LanesOfAWarpShareTheirClockStates) {
  HappensBefore order(2);
  order.beginBlock();
  ClockStateRef first = order.firstState(0), second = first;
  EXPECT_EQ(order.release(first).get(), order.release(second).get());
  ClockStateRef released = order.release(first);
  VectorClock passedOn;
  EXPECT_EQ(order.receive(released, passedOn, 1).get(), order.receive(released, passedOn, 1).get());
  EXPECT_NE(order.receive(released, passedOn, 1).get(), order.receive(released, passedOn, 2).get());
}

TEST(HappensBefore, StatesThatNoLaneCanReachAreReused) {
  HappensBefore order(2);
  order.beginBlock();
  std::array<ClockStateRef, 64> lanes;
  lanes.fill(order.firstState(0));
  for (uint64_t turn = 0; turn < 1000; ++turn)
    for (ClockStateRef &lane : lanes)
      lane = order.acquire(order.receive(order.release(lane), VectorClock(), turn));
  EXPECT_LT(order.statesInUse(), 8u);
}

} // namespace
} // namespace hocket::emulator
