//===- CostTableTest.cpp - Costs compared with vendors' published peaks ---------------===//
#include "target/MatrixInstructions.h"
#include "target/TargetInfo.h"

#include <gtest/gtest.h>

using namespace hocket;

/// Returns the multiplications and additions per clock and compute unit.
static int rateOf(std::string_view name, int m, int k, MatrixRate rate) {
  const TargetInfo &target = *findTarget(name);
  int clocks = matrixPasses(target, m, 1, rate) * target.costs->matrixPass;
  return 2 * m * m * k / clocks * target.costs->simds;
}

TEST(CostTable, MatrixInstructionsReachThePeaks) {
  // AMD CDNA 3 white paper, "Peak throughput per CU and clock": 256 for f32 and f64, 1024 for xf32, 2048 for f16, 4096
  // for 8 bits. CDNA 4: twice these, except half for f64.
  EXPECT_EQ(rateOf("gfx942", 32, 8, MatrixRate::Narrow), 2048);  // f16
  EXPECT_EQ(rateOf("gfx942", 16, 16, MatrixRate::Narrow), 2048); // f16
  EXPECT_EQ(rateOf("gfx942", 32, 16, MatrixRate::Narrow), 4096); // fp8, i8
  EXPECT_EQ(rateOf("gfx942", 32, 4, MatrixRate::Narrow), 1024);  // xf32
  EXPECT_EQ(rateOf("gfx942", 32, 2, MatrixRate::F32), 256);
  EXPECT_EQ(rateOf("gfx942", 16, 4, MatrixRate::F64), 256);
  EXPECT_EQ(rateOf("gfx950", 32, 16, MatrixRate::Narrow), 4096);   // f16
  EXPECT_EQ(rateOf("gfx950", 16, 32, MatrixRate::Narrow), 4096);   // f16
  EXPECT_EQ(rateOf("gfx950", 32, 64, MatrixRate::Scaled8), 8192);  // fp8
  EXPECT_EQ(rateOf("gfx950", 16, 128, MatrixRate::Scaled), 16384); // fp4
  EXPECT_EQ(rateOf("gfx950", 16, 4, MatrixRate::F64), 128);
}

TEST(CostTable, EveryMatrixInstructionHasPasses) {
  for (const TargetInfo &target : allTargets())
    for (const MfmaInstruction &instruction : allMfmaInstructions()) {
      if (!instruction.isOn(target.mfmaVersion))
        continue;
      int m = instruction.blocks > 1 ? 4 : instruction.m;
      MatrixRate rate = instruction.a == NumberFormat::F64 ? MatrixRate::F64 : MatrixRate::Narrow;
      EXPECT_GT(matrixPasses(target, m, instruction.blocks, rate), 0) << instruction.name;
    }
  EXPECT_EQ(matrixPasses(*findTarget("sm_90a"), 32, 1, MatrixRate::Narrow), 0);
}

TEST(CostTable, SharedMemoryServesAPhaseAClock) {
  EXPECT_EQ(sharedClocks(*findTarget("gfx942"), SharedAccess::Load, 16), 8);
  EXPECT_EQ(sharedClocks(*findTarget("gfx950"), SharedAccess::Load, 16), 4);
  EXPECT_EQ(sharedClocks(*findTarget("gfx950"), SharedAccess::Store, 16), 8);
  EXPECT_EQ(sharedClocks(*findTarget("sm_90a"), SharedAccess::Load, 4), 1);
  EXPECT_EQ(memoryClocks(*findTarget("gfx942"), 16), 16);
  EXPECT_EQ(memoryClocks(*findTarget("sm_90a"), 1), 1);
}
