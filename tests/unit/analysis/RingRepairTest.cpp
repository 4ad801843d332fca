//===- RingRepairTest.cpp - Number of slots that a ring buffer of a warp pipeline needs -===//
#include "analysis/warp_pipeline/RingRepair.h"
#include "WarpPipelineFixture.h"

using namespace mlir;
using namespace hocket;

namespace {
class RingRepairTest : public WarpPipelineFixture {
protected:
  /// Returns the repair of the buffer that the operation `name` accesses.
  std::optional<RingRepair> repair(llvm::StringRef name = "hk.local_store") {
    return findRingRepair(pipeline, *stages, access(name).regions.front().getOwner());
  }
  void expect(int64_t slots, int64_t slotsNow, int64_t furtherAhead, int64_t ahead) {
    std::optional<RingRepair> found = repair();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->slots, slots);
    EXPECT_EQ(found->slotsNow, slotsNow);
    EXPECT_EQ(found->furtherAhead, furtherAhead);
    EXPECT_EQ(found->ahead, std::optional(ahead));
  }
  static std::string store(const std::string &index) {
    return "hk.stage \"store\" { %s = hk.memdesc_index %ring[" + index +
           "] : !ring -> !smem\n hk.local_store %x, %s : !row -> !smem }\n";
  }
  static std::string load(const std::string &index) {
    return "hk.stage \"load\" { %s = hk.memdesc_index %ring[" + index +
           "] : !ring -> !smem\n %l = hk.local_load %s : !smem -> !turn }\n";
  }
};
} // namespace

// The example of the header.
TEST_F(RingRepairTest, OneIterationFurtherAhead) {
  parseLoop(load("%now") + "hk.stage \"compute\" {}\n" + store("%next"));
  expect(/*slots=*/2, /*slotsNow=*/2, /*furtherAhead=*/1, /*ahead=*/2);
}

// A buffer that is not a ring buffer has a single slot. With two slots, the load of an iteration would be only one
// stage before the next iteration's store to the same slot.
TEST_F(RingRepairTest, TileBecomesARing) {
  parseLoop(R"(
    hk.stage "store" { hk.local_store %x, %tile : !row -> !smem }
    hk.stage "load" { %l = hk.local_load %tile : !smem -> !turn })");
  expect(/*slots=*/3, /*slotsNow=*/1, /*furtherAhead=*/1, /*ahead=*/1);
}

TEST_F(RingRepairTest, WhatIsFarEnoughStays) {
  parseLoop(load("%now") + "hk.stage \"a\" {}\nhk.stage \"b\" {}\n" + store("%now") + "hk.stage \"c\" {}\n");
  ASSERT_TRUE(stages->getHazards().size() > 0);
  for (const AccessHazard &hazard : stages->getHazards())
    EXPECT_TRUE(hazard.inSchedule.canBeSettled());
  std::optional<RingRepair> found = repair();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slots, 2);
  EXPECT_EQ(found->furtherAhead, 0);
}

// With two slots, the store is two stages after the load of the data that it overwrites, so three slots are needed.
TEST_F(RingRepairTest, LongerLagNeedsMoreSlots) {
  parseLoop(load("%now") + "hk.stage \"compute\" {}\n" + store("%next"), /*lag=*/2);
  expect(/*slots=*/3, /*slotsNow=*/2, /*furtherAhead=*/1, /*ahead=*/2);
}

TEST_F(RingRepairTest, LineHasNone) {
  parse(R"(
    hk.stage "store" { hk.local_store %x, %tile : !row -> !smem }
    hk.stage "load" { %l = hk.local_load %tile : !smem -> !turn })");
  EXPECT_FALSE(repair().has_value());
}

TEST_F(RingRepairTest, IndexThatIsNotUnderstood) {
  parseLoop("%product = arith.muli %i, %i : i32\n" + store("%product") + load("%now"));
  EXPECT_FALSE(repair().has_value());
}
