//===- GroupsInFlightTest.cpp - Groups in flight and their ages, around loops and branches ----------===//
#include "analysis/async/GroupsInFlight.h"

#include <gtest/gtest.h>

using namespace hocket;

static bool all(unsigned) { return true; }

/// Returns "start: age" of each group in flight, with "?" if a wait may have completed it.
static std::string textOf(const GroupsInFlight &groups) {
  std::string text;
  groups.forEach([&](unsigned number, llvm::ArrayRef<GroupsInFlight::InLoop> when, GroupsInFlight::State state) {
    text += text.empty() ? "" : ", ";
    text += std::to_string(number);
    for (GroupsInFlight::InLoop inLoop : when)
      text += (inLoop.isBefore ? " before" : " in") + std::to_string(inLoop.iterations);
    text += state.isInFlight() ? ": " + std::to_string(state.age) : ": done";
    text += state.mayBeFinished ? "?" : "";
  });
  return text;
}

TEST(GroupsInFlight, AWaitFinishesWhatIsOlder) {
  GroupsInFlight groups;
  groups.start(1, 0);
  groups.commit(all);
  groups.start(0, 0);
  groups.commit(all);
  EXPECT_EQ(textOf(groups), "0: 1, 1: 2");
  groups.wait(1, all);
  EXPECT_EQ(textOf(groups), "0: 1, 1: done?");
  groups.wait(0, all);
  EXPECT_FALSE(groups.isAnyInFlight());
}

TEST(GroupsInFlight, WhatIsNotCommittedIsNotWaitedFor) {
  GroupsInFlight groups;
  groups.start(0, 0);
  groups.wait(0, all);
  EXPECT_EQ(textOf(groups), "0: 0");
  groups.handOver(all);
  EXPECT_EQ(textOf(groups), "0: done?");
}

TEST(GroupsInFlight, OfTwoPathsTheLeastAgeCounts) {
  GroupsInFlight one, other;
  one.start(0, 0);
  one.commit(all);
  other = one;
  one.wait(0, all);
  other.commit(all);
  other.start(1, 0);
  one |= other;
  EXPECT_EQ(textOf(one), "0: 2?, 1: 0");
}

TEST(GroupsInFlight, OfTwoPathsAWaitMayHaveFinishedTheOlder) {
  GroupsInFlight one, other;
  one.start(0, 0);
  one.commit(all);
  other = one;
  other.commit(all);
  one |= other;
  GroupsInFlight both = one;
  one.wait(2, all);
  EXPECT_EQ(textOf(one), "0: 1");
  one.wait(1, all);
  EXPECT_EQ(textOf(one), "0: 1?");
  both.wait(0, all);
  EXPECT_FALSE(both.isAnyInFlight());
}

TEST(GroupsInFlight, LoopsCountIterations) {
  GroupsInFlight groups;
  groups.start(5, 0);
  groups.commit(all);
  groups.enterLoop();
  groups.start(3, 1);
  groups.commit(all);
  EXPECT_EQ(textOf(groups), "3 in0: 1, 5 before0: 2");
  groups.nextIteration();
  groups.start(3, 1);
  groups.commit(all);
  EXPECT_EQ(textOf(groups), "3 in0: 1, 3 in1: 2, 5 before1: 3");
  groups.leaveLoop();
  EXPECT_EQ(textOf(groups), "3: 1, 5: 3");
}

TEST(GroupsInFlight, AnIterationForgetsWhatIsFinished) {
  GroupsInFlight groups;
  groups.enterLoop();
  groups.start(0, 1);
  groups.commit(all);
  groups.start(1, 1);
  groups.commit(all);
  groups.wait(1, all);
  EXPECT_EQ(textOf(groups), "0 in0: done?, 1 in0: 1");
  groups.nextIteration();
  EXPECT_EQ(textOf(groups), "1 in1: 1");
}

TEST(GroupsInFlight, FarIterationsAreOne) {
  GroupsInFlight groups;
  groups.enterLoop();
  for (unsigned i = 0; i < GroupsInFlight::kFar + 3u; ++i) {
    groups.start(0, 1);
    groups.commit(all);
    groups.nextIteration();
  }
  std::string text = textOf(groups);
  EXPECT_EQ(text.substr(0, 21), "0 in1: 1, 0 in2: 2, 0");
  EXPECT_EQ(text.substr(text.rfind(',')), ", 0 in8: 8");
}

/// Returns "start: age at the trial" of each group that the wait on trial would have completed.
static std::string onTrial(const GroupsInFlight &groups) {
  std::string text;
  groups.forEachOnTrial([&](unsigned number, llvm::ArrayRef<GroupsInFlight::InLoop>, unsigned age) {
    text += (text.empty() ? "" : ", ") + std::to_string(number) + ": " + std::to_string(age);
  });
  return text;
}

TEST(GroupsInFlight, AWaitOnTrialFinishesNothing) {
  GroupsInFlight groups;
  for (unsigned start : {2, 1, 0}) {
    groups.start(start, 0);
    groups.commit(all);
  }
  groups.leaveOutWait(1, all);
  EXPECT_EQ(textOf(groups), "0: 1, 1: 2, 2: 3");
  EXPECT_EQ(onTrial(groups), "1: 2, 2: 3");
  groups.wait(2, all);
  EXPECT_EQ(onTrial(groups), "1: 2");
  groups.commit(all);
  groups.leaveOutWait(1, all);
  EXPECT_EQ(onTrial(groups), "0: 2, 1: 3");
}

TEST(GroupsInFlight, PathsWithDifferentAgesAtTheTrialStayApart) {
  GroupsInFlight one, other;
  one.start(0, 0);
  one.commit(all);
  other = one;
  other.commit(all);
  one.leaveOutWait(0, all);
  other.leaveOutWait(0, all);
  GroupsInFlight early = one;
  early |= other;
  EXPECT_EQ(onTrial(early), "0: 1, 0: 2");
  early.wait(1, all);
  EXPECT_EQ(onTrial(early), "0: 1");
}

TEST(GroupsInFlight, AWaitOnTrialConcernsSomePathsOnly) {
  GroupsInFlight one, other;
  one.start(0, 0);
  one.commit(all);
  other = one;
  other.commit(all);
  other.commit(all);
  one |= other;
  one.leaveOutWait(1, all);
  EXPECT_EQ(textOf(one), "0: 1, 0: 2");
  EXPECT_EQ(onTrial(one), "0: 2");
}

TEST(GroupsInFlight, WhereALoopDoesNotRunItsWaitsFinishNothing) {
  GroupsInFlight groups;
  groups.start(0, 0);
  groups.commit(all);
  groups.enterLoop();
  GroupsInFlight exit = groups;
  groups.wait(0, all);
  groups.nextIteration();
  exit |= groups;
  exit.leaveLoop();
  EXPECT_EQ(textOf(exit), "0: 1?");
}
