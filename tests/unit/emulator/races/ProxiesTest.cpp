//===- ProxiesTest.cpp - Stores that are not visible to the async proxy, and bulk stores in flight -===//
#include "emulator/races/AsyncProxy.h"
#include "emulator/races/BulkWrites.h"

#include <gtest/gtest.h>

using namespace hocket::emulator;

namespace {
/// Two warps with one barrier, which orders all accesses before it before all accesses after it.
struct TwoWarps {
  HappensBefore order{2};
  std::vector<ClockStateRef> states;

  TwoWarps() {
    order.beginBlock();
    for (uint32_t warp : {0, 1})
      states.push_back(order.firstState(warp));
  }
  const ClockState &operator[](size_t warp) const { return *states[warp]; }
  void barrier() {
    VectorClock passedOn;
    for (ClockStateRef &clocks : states) {
      clocks = order.release(clocks);
      passedOn.join(clocks->released);
    }
    ++barriers;
    for (ClockStateRef &clocks : states)
      clocks = order.acquire(order.receive(clocks, passedOn, barriers));
  }
  uint64_t barriers = 0;
};
} // namespace

TEST(AsyncProxy, AFenceBeforeTheBarrierShowsAStore) {
  TwoWarps warps;
  AsyncProxy proxy(256, 2);
  proxy.store(warps[0], 0, 4, 7);
  proxy.fence(warps[0]);
  warps.barrier();
  EXPECT_FALSE(proxy.findHidden(warps[1], 0, 16, true));
}

TEST(AsyncProxy, AFenceAfterTheBarrierIsTooLateForOtherWarps) {
  TwoWarps warps;
  AsyncProxy proxy(256, 2);
  proxy.store(warps[0], 0, 4, 7);
  warps.barrier();
  proxy.fence(warps[0]);
  EXPECT_FALSE(proxy.findHidden(warps[0], 0, 16, true));
  auto hidden = proxy.findHidden(warps[1], 0, 16, true);
  ASSERT_TRUE(hidden);
  EXPECT_EQ(hidden->warp, 0u);
  EXPECT_EQ(hidden->site, 7u);
  warps.barrier();
  EXPECT_FALSE(proxy.findHidden(warps[1], 0, 16, true));
}

TEST(AsyncProxy, OtherWarpsFencesDoNotCount) {
  TwoWarps warps;
  AsyncProxy proxy(256, 2);
  proxy.store(warps[0], 16, 4, 7);
  warps.barrier();
  proxy.store(warps[1], 16, 4, 8);
  proxy.fence(warps[1]);
  warps.barrier();
  EXPECT_FALSE(proxy.findHidden(warps[1], 0, 16, true)) << "another piece";
  EXPECT_EQ(proxy.findHidden(warps[1], 0, 32, true)->site, 7u);
  proxy.overwrite(16, 16);
  EXPECT_FALSE(proxy.findHidden(warps[1], 0, 32, true));
}

TEST(AsyncProxy, UnorderedStoresAreRacesAndNotHidden) {
  TwoWarps warps;
  AsyncProxy proxy(256, 2);
  proxy.store(warps[0], 0, 4, 7);
  EXPECT_FALSE(proxy.findHidden(warps[1], 0, 16, true));
}

TEST(PieceOfMemory, MasksSayWhichBytes) {
  std::vector<std::pair<uintptr_t, uint16_t>> pieces;
  forEachPiece(30, 20, [&](PieceOfMemory piece) { pieces.push_back({piece.number, piece.mask}); });
  EXPECT_EQ(pieces, (std::vector<std::pair<uintptr_t, uint16_t>>{{1, 0xc000}, {2, 0xffff}, {3, 0x0003}}));
}

TEST(GlobalProxy, KeepsTheFirstFenceOfEachWarp) {
  GlobalProxy proxy;
  PieceOfMemory piece = {3, 0x00ff};
  EXPECT_TRUE(
      proxy.store(piece, {.segment = 1, .site = 7, .thread = 0, .warp = 0, .block = 5, .mask = 0, .fence = {}}));
  EXPECT_FALSE(
      proxy.store(piece, {.segment = 2, .site = 8, .thread = 0, .warp = 0, .block = 5, .mask = 0, .fence = {}}));
  proxy.fence(3, /*block=*/5, /*warp=*/1, 3);
  auto isOpen = [](const GlobalProxy::Store &store) { return !store.fence; };
  ASSERT_TRUE(proxy.find(piece, isOpen));
  EXPECT_EQ(proxy.find(piece, isOpen)->site, 8u);
  EXPECT_FALSE(proxy.find({3, 0xff00}, isOpen));
  proxy.fence(3, /*block=*/5, /*warp=*/0, 4);
  EXPECT_FALSE(proxy.find(piece, isOpen));
  EXPECT_EQ(proxy.find(piece, [](const GlobalProxy::Store &) { return true; })->fence, 4u);
}

TEST(BulkWrites, AreInFlightUntilTheirGroupIsComplete) {
  BulkWrites writes;
  EXPECT_FALSE(writes.find(0x1000, 64));
  writes.begin(0x1000, 32, {.thread = 0, .site = 7, .group = 0, .isReduction = false});
  writes.begin(0x1020, 6, {.thread = 0, .site = 8, .group = 1, .isReduction = true});
  EXPECT_EQ(writes.find(0x101c, 8)->site, 7u);
  writes.complete(0, 1);
  EXPECT_FALSE(writes.find(0x1000, 32));
  EXPECT_EQ(writes.find(0x1024, 4)->site, 8u);
  EXPECT_FALSE(writes.find(0x1026, 4)) << "exact to the byte";
  writes.complete(0, 2);
  EXPECT_FALSE(writes.find(0x1020, 6));
}
