//===- OccupancyTest.cpp - Occupancy compared with vendors' published numbers ----------===//
#include "target/Occupancy.h"

#include <gtest/gtest.h>

using namespace hocket;

static Occupancy of(std::string_view target, int warps, int registers, int sharedBytes) {
  return occupancyOf(*findTarget(target), warps, registers, sharedBytes);
}

TEST(Occupancy, RegistersOfCdna) {
  // "AMDGPU Usage", occupancy by registers on GPUs with 512 of them: 64 -> 8, 72 -> 7, 128 -> 4, 168 -> 3, 256 -> 2.
  for (auto [registers, warps] :
       {std::pair(64, 8), {65, 7}, {128, 4}, {129, 3}, {168, 3}, {169, 2}, {256, 2}, {512, 1}}) {
    EXPECT_EQ(of("gfx942", 4, registers, 0).warpsPerSimd, warps) << registers;
    EXPECT_EQ(of("gfx950", 4, registers, 0).bound, OccupancyBound::Registers) << registers;
  }
}

TEST(Occupancy, NothingFitsWhereRegistersAreTooMany) {
  Occupancy occupancy = of("gfx950", 8, 264, 0);
  EXPECT_EQ(occupancy.blocks, 0);
  EXPECT_EQ(occupancy.warpsPerSimd, 0);
  EXPECT_EQ(occupancy.bound, OccupancyBound::Registers);
}

TEST(Occupancy, SharedMemoryOfCdna) {
  EXPECT_EQ(of("gfx942", 4, 64, 34800).blocks, 1);
  EXPECT_EQ(of("gfx942", 4, 64, 34800).bound, OccupancyBound::SharedMemory);
  EXPECT_EQ(of("gfx942", 4, 64, 32768).blocks, 2);
  EXPECT_EQ(of("gfx950", 4, 64, 80 * 1024).blocks, 2);
  EXPECT_EQ(of("gfx950", 4, 64, 80 * 1024 + 1).blocks, 1);
}

TEST(Occupancy, Hopper) {
  // CUDA's occupancy calculator: 168 registers and 3 warpgroups -> one block; 128 and 4 warps -> four.
  EXPECT_EQ(of("sm_90a", 12, 168, 200 * 1024).blocks, 1);
  EXPECT_EQ(of("sm_90a", 4, 128, 0).blocks, 4);
  EXPECT_EQ(of("sm_90a", 4, 32, 0).warpsPerSimd, 16);
  EXPECT_EQ(of("sm_90a", 1, 32, 0).bound, OccupancyBound::Blocks);
  EXPECT_EQ(of("sm_90a", 1, 32, 0).warpsPerSimd, 8);
  EXPECT_EQ(of("sm_80", 4, 32, 83 * 1024).blocks, 1);
  EXPECT_EQ(of("sm_80", 4, 32, 81 * 1024).blocks, 2);
}

TEST(Occupancy, DiesWithACacheEach) {
  EXPECT_EQ(findTarget("gfx942")->cacheDies, 8);
  EXPECT_EQ(findTarget("gfx950")->cacheDies, 8);
  EXPECT_EQ(findTarget("sm_90a")->cacheDies, 1);
}

TEST(Occupancy, OneWarpIsOnOneSimdUnit) {
  EXPECT_EQ(of("gfx942", 1, 512, 65536).blocks, 1);
  EXPECT_EQ(of("gfx942", 1, 512, 65536).warpsPerSimd, 1);
}
