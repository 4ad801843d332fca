//===- PingPongHazardsTest.cpp - Hazards that ping-pong settles, against the order of all events ----------===//
#include "analysis/warp_pipeline/PingPongHazards.h"

#include <gtest/gtest.h>

using namespace hocket;

namespace {

/// The stages of both groups in a loop, ordered by the rules of exclusive stages. The low group is group 0.
class Timeline {
public:
  Timeline(const std::vector<bool> &exclusive, int length)
      : length(length), isAfter(size(), std::vector<bool>(size())) {
    for (int group : {0, 1})
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
      order(event(0, exclusiveStages[i], true), event(1, exclusiveStages[i], false));
      if (i + 1 < exclusiveStages.size())
        order(event(1, exclusiveStages[i], true), event(0, exclusiveStages[i + 1], false));
    }
    for (int via = 0; via < size(); ++via)
      for (int from = 0; from < size(); ++from)
        for (int to = 0; isAfter[from][via] && to < size(); ++to)
          if (isAfter[via][to])
            isAfter[from][to] = true;
  }

  /// True if stage `src` of each group has ended when stage `dst` of the other group begins.
  bool isInOrder(int src, int dst) const {
    return isAfter[event(0, src, true)][event(1, dst, false)] && isAfter[event(1, src, true)][event(0, dst, false)];
  }

private:
  int size() const { return 4 * length; }
  static int event(int group, int stage, bool isEnd) { return 4 * stage + 2 * group + isEnd; }
  void order(int from, int to) { isAfter[from][to] = true; }

  int length;
  std::vector<std::vector<bool>> isAfter;
};

} // namespace

TEST(PingPongHazardsTest, SettledIsWhatIsInOrder) {
  int settled = 0, unsettled = 0;
  for (unsigned stages = 2; stages <= 5; ++stages)
    for (unsigned mask = 1; mask < 1u << stages; ++mask) {
      std::vector<bool> exclusive;
      for (unsigned stage = 0; stage < stages; ++stage)
        exclusive.push_back(mask >> stage & 1);
      Timeline timeline(exclusive, 4 * stages);
      for (unsigned src = 0; src < stages; ++src)
        for (int64_t distance = 0; distance <= 2 * stages; ++distance) {
          bool isSettled = isSettledByPingPong(exclusive, {src, distance, /*isWithinGroup=*/false});
          ASSERT_EQ(isSettled, timeline.isInOrder(src, src + distance)) << stages << " " << mask << " " << distance;
          (isSettled ? settled : unsettled) += 1;
        }
    }
  EXPECT_GT(settled, 100);
  EXPECT_GT(unsettled, 100);
}

// The warps of a group synchronize where the group begins an exclusive stage:   X s s | X s s
TEST(PingPongHazardsTest, WithinGroups) {
  const std::vector<bool> exclusive = {true, false, false};
  EXPECT_FALSE(isSettledByPingPong(exclusive, {0, 0, true}));
  EXPECT_FALSE(isSettledByPingPong(exclusive, {0, 2, true}));
  EXPECT_TRUE(isSettledByPingPong(exclusive, {0, 3, true}));
  EXPECT_FALSE(isSettledByPingPong(exclusive, {1, 1, true}));
  EXPECT_TRUE(isSettledByPingPong(exclusive, {1, 2, true}));
  EXPECT_TRUE(isSettledByPingPong(exclusive, {2, 1, true}));
}

// The two accesses overlap even in program order, as an access before the wait for a copy does.
TEST(PingPongHazardsTest, NoDistance) { EXPECT_FALSE(isSettledByPingPong({true, true}, {0, -1, false})); }
