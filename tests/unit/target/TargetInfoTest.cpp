//===- TargetInfoTest.cpp - The table of targets ----------------------------------------===//
#include "target/Features.h"

#include <bit>
#include <gtest/gtest.h>
#include <set>

using namespace hocket;

TEST(TargetInfo, TargetsByComputeCapability) {
  EXPECT_EQ(targetOfCapability(7, 5), nullptr);
  EXPECT_EQ(targetOfCapability(8, 0)->name, "sm_80");
  EXPECT_EQ(targetOfCapability(8, 9)->name, "sm_80");
  EXPECT_EQ(targetOfCapability(9, 0)->name, "sm_90a");
  // Code for sm_90a runs on 9.0 only; the driver of a newer GPU compiles the PTX of sm_80.
  EXPECT_EQ(targetOfCapability(10, 0)->name, "sm_80");
}

TEST(TargetInfo, FeaturesNameTheirTargets) {
  EXPECT_EQ(kTma.describe(), "TMA, which Hopper (sm_90a) has");
  EXPECT_EQ(kNamedBarriers.describe(), "named barriers, which Ampere (sm_80) and Hopper (sm_90a) have");
  EXPECT_EQ((Feature{"tensor memory", [](const TargetInfo &) { return false; }}.describe()),
            "tensor memory, which no target has");
}

TEST(TargetInfo, RowsAreConsistent) {
  std::set<std::string_view> gpus;
  for (const TargetInfo &target : allTargets()) {
    EXPECT_GT(target.warpSize, 0) << target.name;
    EXPECT_GE(target.unit.sharedBytes, target.maxSharedBytes + target.unit.sharedReserved) << target.name;
    EXPECT_GE(target.unit.warpsPerSimd * target.unit.simds, target.maxWarps()) << target.name;
    EXPECT_EQ(target.ptxVersion > 0, target.computeCapability > 0) << target.name;
    EXPECT_EQ(target.mfmaVersion > 0, target.amdMemory != nullptr) << target.name;
    EXPECT_TRUE(target.costs && target.sharedPhases) << target.name;
    for (int bytes : target.amdMemory ? target.amdMemory->directToSharedBytes : std::span<const int>())
      EXPECT_TRUE(std::has_single_bit(unsigned(bytes))) << target.name; // linear maps describe no others
    for (std::string_view gpu : target.gpus)
      EXPECT_TRUE(gpus.insert(gpu).second) << gpu;
  }
}
