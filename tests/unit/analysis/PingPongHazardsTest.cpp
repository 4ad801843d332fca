//===- PingPongHazardsTest.cpp - Hazards that ping-pong settles, against the order of all events ----------===//
#include "analysis/warp_pipeline/PingPongHazards.h"

#include <gtest/gtest.h>

using namespace hocket;

namespace {

/// The stages of all groups in a loop, ordered by the rules of exclusive stages.
class Timeline {
public:
  Timeline(const std::vector<bool> &exclusive, int groups, int length)
      : groups(groups), length(length), isAfter(size(), std::vector<bool>(size())) {
    for (int group = 0; group < groups; ++group)
      for (int stage = 0; stage < length; ++stage) {
        order(event(group, stage, false), event(group, stage, true));
        if (stage + 1 < length)
          order(event(group, stage, true), event(group, stage + 1, false));
      }
    std::vector<int> exclusiveStages;
    for (int stage = 0; stage < length; ++stage)
      if (exclusive[stage % exclusive.size()])
        exclusiveStages.push_back(stage);
    for (size_t i = 0; i < exclusiveStages.size(); ++i) {
      for (int group = 0; group + 1 < groups; ++group)
        order(event(group, exclusiveStages[i], true), event(group + 1, exclusiveStages[i], false));
      if (i + 1 < exclusiveStages.size())
        order(event(groups - 1, exclusiveStages[i], true), event(0, exclusiveStages[i + 1], false));
    }
    for (int via = 0; via < size(); ++via)
      for (int from = 0; from < size(); ++from)
        for (int to = 0; isAfter[from][via] && to < size(); ++to)
          if (isAfter[via][to])
            isAfter[from][to] = true;
  }

  /// True if stage `src` of each group has ended when stage `dst` of another group begins.
  bool isInOrder(int src, int dst) const {
    for (int first = 0; first < groups; ++first)
      for (int second = 0; second < groups; ++second)
        if (first != second && !isAfter[event(first, src, true)][event(second, dst, false)])
          return false;
    return true;
  }

private:
  int size() const { return 2 * groups * length; }
  int event(int group, int stage, bool isEnd) const { return 2 * (groups * stage + group) + isEnd; }
  void order(int from, int to) { isAfter[from][to] = true; }

  int groups, length;
  std::vector<std::vector<bool>> isAfter;
};

} // namespace

TEST(PingPongHazardsTest, SettledIsWhatIsInOrder) {
  int settled = 0, unsettled = 0;
  auto check = [&](unsigned groups, unsigned stages, unsigned mask) {
    std::vector<bool> exclusive;
    for (unsigned stage = 0; stage < stages; ++stage)
      exclusive.push_back(mask >> stage & 1);
    Timeline timeline(exclusive, int(groups), int(4 * stages));
    for (unsigned src = 0; src < stages; ++src)
      for (int64_t distance = 0; distance <= 2 * stages; ++distance) {
        bool isSettled = isSettledByPingPong(exclusive, {src, distance, /*lag=*/groups - 1});
        ASSERT_EQ(isSettled, timeline.isInOrder(src, src + distance)) << groups << " " << stages << " " << mask;
        (isSettled ? settled : unsettled) += 1;
      }
  };
  for (unsigned groups : {2, 3, 4})
    for (unsigned stages = 2; stages <= (groups == 2 ? 5 : 4); ++stages)
      for (unsigned mask = 1; mask < 1u << stages; ++mask)
        check(groups, stages, mask);
  EXPECT_GT(settled, 100);
  EXPECT_GT(unsettled, 100);
}

// The warps of a group synchronize where the group begins an exclusive stage:   X s s | X s s
TEST(PingPongHazardsTest, WithinGroups) {
  const std::vector<bool> exclusive = {true, false, false};
  EXPECT_FALSE(isSettledByPingPong(exclusive, {0, 0, 0}));
  EXPECT_FALSE(isSettledByPingPong(exclusive, {0, 2, 0}));
  EXPECT_TRUE(isSettledByPingPong(exclusive, {0, 3, 0}));
  EXPECT_FALSE(isSettledByPingPong(exclusive, {1, 1, 0}));
  EXPECT_TRUE(isSettledByPingPong(exclusive, {1, 2, 0}));
  EXPECT_TRUE(isSettledByPingPong(exclusive, {2, 1, 0}));
}

// The two accesses overlap even in program order, as an access before the wait for a copy does.
TEST(PingPongHazardsTest, NoDistance) { EXPECT_FALSE(isSettledByPingPong({true, true}, {0, -1, 1})); }
