//===- WgmmaInstructionsTest.cpp - Names and widths of wgmma instructions ---------------===//
#include "target/WgmmaInstructions.h"

#include <gtest/gtest.h>
#include <set>

using namespace hocket;

TEST(WgmmaInstructions, WidthsOfPtx) {
  // PTX ISA 9.0, "wgmma.mma_async": N of floats is any multiple of 8 up to 256, of integers one of these.
  const std::set<int> integers = {8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256};
  for (int n = -8; n <= 512; ++n) {
    bool isFloats = n >= 8 && n <= 256 && n % 8 == 0;
    EXPECT_EQ(hasWgmmaColumns(NumberFormat::F32, n), isFloats) << n;
    EXPECT_EQ(hasWgmmaColumns(NumberFormat::F16, n), isFloats) << n;
    EXPECT_EQ(hasWgmmaColumns(NumberFormat::I32, n), integers.contains(n)) << n;
  }
}

TEST(WgmmaInstructions, EachIsFoundByItsName) {
  using enum NumberFormat;
  for (WgmmaInstruction instruction : {WgmmaInstruction{F16, F16, NumberFormat::F32, 192},
                                       {BF16, BF16, NumberFormat::F32, 8},
                                       {E5M2, E4M3, NumberFormat::F32, 256},
                                       {U8, I8, NumberFormat::I32, 24}}) {
    std::optional<WgmmaInstruction> found = findWgmma(instruction.name());
    ASSERT_TRUE(found) << instruction.name();
    EXPECT_EQ(found->name(), instruction.name());
    EXPECT_EQ(found->n, instruction.n);
  }
  for (std::string_view name : {"", "m64n", "m64n192", "m64n12k16.f32.f16.f16", "m64n40k32.s32.s8.s8",
                                "m64n264k16.f32.f16.f16", "m64n192k8.f32.f16.f16", "m64n192k16.f32.f16.bf16"})
    EXPECT_FALSE(findWgmma(name)) << name;
}
