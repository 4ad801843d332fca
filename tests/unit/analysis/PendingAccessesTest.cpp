//===- PendingAccessesTest.cpp - Accesses that warps must not assume to be complete -----===//
#include "analysis/memory/PendingAccesses.h"

#include <gtest/gtest.h>

#include <vector>

using namespace hocket;

namespace {
constexpr hk::AsyncCounter kCopies{"test.copies"}, kProducts{"test.products"};

/// A state of four accesses on two counters. No wait leaves more than two copies, or any wgmma, in flight.
PendingAccesses nothing(unsigned moreAges = 0) { return PendingAccesses(4, {{kCopies, 2}, {kProducts, 0}}, moreAges); }

std::vector<unsigned> pending(const PendingAccesses &state) {
  llvm::BitVector all = state.ofIteration();
  all |= state.beforeIteration();
  return {all.set_bits_begin(), all.set_bits_end()};
}

std::vector<unsigned> ages(const PendingAccesses &state, unsigned number, hk::AsyncCounter counter = kCopies) {
  auto found = state.agesInFlight(number, counter);
  return {found.begin(), found.end()};
}
using List = std::vector<unsigned>;
} // namespace

// The example of the header.
TEST(PendingAccesses, CopiesArePendingFromTheWaitOn) {
  PendingAccesses state = nothing();
  state.start(0, kCopies);
  EXPECT_EQ(ages(state, 0), List{0});
  state.commit(kCopies);
  state.start(1, kCopies);
  state.commit(kCopies);
  EXPECT_EQ(ages(state, 0), List{2});
  EXPECT_EQ(ages(state, 1), List{1});
  EXPECT_EQ(pending(state), List{});
  state.wait(kCopies, 1);
  EXPECT_EQ(pending(state), List{0});
  EXPECT_EQ(ages(state, 0), List{});
  EXPECT_EQ(ages(state, 1), List{1});
  state.barrier();
  EXPECT_EQ(pending(state), List{});
  EXPECT_EQ(ages(state, 1), List{1});
}

TEST(PendingAccesses, WhatIsInNoGroupIsNotWaitedFor) {
  PendingAccesses state = nothing();
  state.start(0, kCopies);
  state.wait(kCopies, 0);
  EXPECT_EQ(pending(state), List{});
  EXPECT_EQ(ages(state, 0), List{0});
}

TEST(PendingAccesses, CountersKnowNothingOfEachOther) {
  PendingAccesses state = nothing();
  state.start(0, kCopies);
  state.start(1, kProducts);
  state.commit(kCopies);
  EXPECT_EQ(ages(state, 0), List{1});
  EXPECT_EQ(ages(state, 1, kProducts), List{0});
  state.commit(kProducts);
  state.wait(kProducts, 0);
  EXPECT_EQ(pending(state), List{1});
  EXPECT_EQ(ages(state, 0), List{1});
}

TEST(PendingAccesses, CounterThatNothingIsOnIsIgnored) {
  PendingAccesses state = nothing();
  state.start(0, kCopies);
  state.commit({"test.others"});
  state.wait({"test.others"}, 0);
  EXPECT_EQ(ages(state, 0), List{0});
}

// The last age represents all higher ages. A wait that leaves that number of groups may or may not cover such a group.
TEST(PendingAccesses, OldGroupsMayBeCoveredOrNot) {
  PendingAccesses state = nothing();
  state.start(0, kCopies);
  for (int i = 0; i < 8; ++i)
    state.commit(kCopies);
  EXPECT_EQ(ages(state, 0), List{state.lastAge(kCopies)});
  EXPECT_EQ(state.lastAge(kCopies), 3u);
  state.wait(kCopies, 5);
  EXPECT_EQ(pending(state), List{0});
  EXPECT_EQ(ages(state, 0), List{3});
  EXPECT_EQ(nothing(/*moreAges=*/16).lastAge(kCopies), 19u);
}

TEST(PendingAccesses, IterationsAreToldApart) {
  PendingAccesses state = nothing();
  state.access(0);
  state.start(1, kCopies);
  state.commit(kCopies);
  EXPECT_TRUE(state.ofIteration().test(0));
  EXPECT_FALSE(state.mayBeOfEarlierIteration(1));
  state.startIteration();
  EXPECT_FALSE(state.ofIteration().test(0));
  EXPECT_TRUE(state.beforeIteration().test(0));
  EXPECT_TRUE(state.mayBeOfEarlierIteration(1));
  state.wait(kCopies, 0);
  EXPECT_FALSE(state.mayBeOfEarlierIteration(1));
}

TEST(PendingAccesses, PathsJoin) {
  PendingAccesses then = nothing(), otherwise = nothing();
  then.start(0, kCopies);
  otherwise.access(1);
  EXPECT_FALSE(then.isWithin(otherwise));
  PendingAccesses joined = then;
  joined.commit(kCopies);
  EXPECT_FALSE(then.isWithin(joined)); // the access has another age
  joined |= then;
  joined |= otherwise;
  EXPECT_EQ(ages(joined, 0), (List{1, 0}));
  EXPECT_EQ(pending(joined), List{1});
  EXPECT_TRUE(then.isWithin(joined));
  EXPECT_TRUE(otherwise.isWithin(joined));
  EXPECT_FALSE(joined.isWithin(then));
}
