//===- StageHazardsTest.cpp - Hazards between the stages of a warp pipeline --------------===//
#include "WarpPipelineFixture.h"

using namespace mlir;
using namespace hocket;

namespace {
class StageHazardsTest : public WarpPipelineFixture {
protected:
  /// Parses a store of %x to %tile in the first of two stages, and a load of this type in `stage`.
  void storeAndLoad(const std::string &type, int stage = 1) {
    std::string load = "%l = hk.local_load %tile : !smem -> " + type + "\n";
    parseLoop("hk.stage \"a\" { hk.local_store %x, %tile : !row -> !smem\n" + (stage == 0 ? load : "") +
              "} hk.stage \"b\" {" + (stage == 1 ? load : "") + "}");
  }
};
} // namespace

// The example of the header.
TEST_F(StageHazardsTest, RingOfTwoSlots) {
  parseLoop(R"(
    hk.stage "copy" {
      %slot = hk.memdesc_index %ring[%next] : !ring -> !smem
      toy.fetch %p, %slot : !ptr -> !smem
      toy.end_fetches
    }
    toy.await_fetches 0
    hk.stage "load" {
      %slot = hk.memdesc_index %ring[%now] : !ring -> !smem
      %l = hk.local_load %slot : !smem -> !turn
    })");
  ASSERT_EQ(stages->getAccesses().size(), 3u); // a fetch also reads global memory
  EXPECT_TRUE(access("toy.fetch").isAsync());
  EXPECT_FALSE(access("hk.local_load").isAsync());
  const AccessHazard *read = hazard("toy.fetch", "hk.local_load");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->stagesApart, 3);
  ASSERT_TRUE(read->arrival);
  EXPECT_EQ(read->arrival->stagesLater, 1);
  // The load must be separated from the stage before the wait.
  EXPECT_EQ(read->inSchedule.src, 0u);
  EXPECT_EQ(read->inSchedule.distance, 3);
  const AccessHazard *overwrite = hazard("hk.local_load", "toy.fetch");
  ASSERT_TRUE(overwrite);
  EXPECT_EQ(overwrite->stagesApart, 1);
  EXPECT_FALSE(overwrite->inSchedule.canBeSettled());
  // The next copy to the same slot is four stages later.
  const AccessHazard *again = hazard("toy.fetch", "toy.fetch");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->stagesApart, 4);
}

TEST_F(StageHazardsTest, CopyThatNoWaitCovers) {
  parseLoop(R"(
    hk.stage "copy" { toy.fetch %p, %tile : !ptr -> !smem }
    hk.stage "load" { %l = hk.local_load %tile : !smem -> !turn })");
  const AccessHazard *read = hazard("toy.fetch", "hk.local_load");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->arrival.has_value());
  EXPECT_FALSE(read->inSchedule.canBeSettled());
}

// An asynchronous access may be a read. Other warps must not write to the tile until the read is complete.
TEST_F(StageHazardsTest, AsynchronousRead) {
  parseLoop(R"(
    hk.stage "send" { toy.send %tile, %p : !smem -> !ptr }
    hk.stage "pause" {}
    toy.await_sends 0 read
    hk.stage "store" { hk.local_store %x, %tile : !row -> !smem })");
  const AccessHazard *overwrite = hazard("toy.send", "hk.local_store");
  ASSERT_TRUE(overwrite);
  EXPECT_TRUE(overwrite->isCopy());
  EXPECT_EQ(overwrite->stagesApart, 2);
  EXPECT_EQ(overwrite->inSchedule.src, 1u);
  EXPECT_EQ(overwrite->inSchedule.distance, 1);
  EXPECT_FALSE(hazard("toy.send", "toy.send"));
}

TEST_F(StageHazardsTest, OtherMemoryIsNoHazard) {
  parseLoop(R"(
    hk.stage "store" { hk.local_store %x, %tile : !row -> !smem }
    hk.stage "load" {
      %slot = hk.memdesc_index %ring[%now] : !ring -> !smem
      %l = hk.local_load %slot : !smem -> !turn
    })");
  EXPECT_FALSE(hazard("hk.local_store", "hk.local_load"));
  EXPECT_FALSE(StageHazards::areHazard(access("hk.local_store"), access("hk.local_load")));
}

TEST_F(StageHazardsTest, ReadsAreNoHazard) {
  parseLoop(R"(
    hk.stage "a" { %l = hk.local_load %tile : !smem -> !turn }
    hk.stage "b" { %l = hk.local_load %tile : !smem -> !row })");
  EXPECT_TRUE(stages->getHazards().empty());
}

TEST_F(StageHazardsTest, WarpsThatMeetOnlyThemselves) {
  storeAndLoad("!row");
  EXPECT_TRUE(stages->getHazards().empty());
  storeAndLoad("!lanes");
  EXPECT_TRUE(stages->getHazards().empty());
}

// Without a wait in between, the lanes of a warp are not ordered within a stage.
TEST_F(StageHazardsTest, LanesWithinAStage) {
  storeAndLoad("!row", /*stage=*/0);
  EXPECT_FALSE(hazard("hk.local_store", "hk.local_load"));
  storeAndLoad("!lanes", /*stage=*/0);
  const AccessHazard *lanes = hazard("hk.local_store", "hk.local_load");
  ASSERT_TRUE(lanes);
  EXPECT_EQ(lanes->exchange, Exchange::WithinWarp);
  EXPECT_FALSE(lanes->inSchedule.canBeSettled());
}

TEST_F(StageHazardsTest, WithinAGroupTheNextStageIsFarEnough) {
  storeAndLoad("!group");
  const AccessHazard *within = hazard("hk.local_store", "hk.local_load");
  ASSERT_TRUE(within);
  EXPECT_EQ(within->inSchedule.lag, 0u);
  EXPECT_TRUE(within->inSchedule.canBeSettled());
  storeAndLoad("!turn");
  const AccessHazard *between = hazard("hk.local_store", "hk.local_load");
  ASSERT_TRUE(between);
  EXPECT_EQ(between->exchange, Exchange::BetweenGroups);
  EXPECT_FALSE(between->inSchedule.canBeSettled());
}

TEST_F(StageHazardsTest, LineHasOneIteration) {
  parse(R"(
    hk.stage "load" { %l = hk.local_load %tile : !smem -> !turn }
    hk.stage "store" { hk.local_store %x, %tile : !row -> !smem })");
  EXPECT_TRUE(hazard("hk.local_load", "hk.local_store"));
  EXPECT_FALSE(hazard("hk.local_store", "hk.local_load"));
}
