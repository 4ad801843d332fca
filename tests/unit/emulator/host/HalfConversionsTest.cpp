//===- HalfConversionsTest.cpp - Conversions of 16-bit floats ----------------------------------------===//
#include "emulator/host/HalfConversions.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace hocket::emulator;

namespace {

TEST(HalfConversions, EveryHalfSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = floatFromHalf(uint16_t(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(floatFromHalf(halfFromFloat(value))));
    else
      ASSERT_EQ(halfFromFloat(value), bits);
  }
}

TEST(HalfConversions, EveryBfloatSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = std::bit_cast<float>(bits << 16);
    if (!std::isnan(value)) {
      ASSERT_EQ(bfloatFromFloat(value), bits);
      ASSERT_EQ(bfloatFromDouble(value), bits);
    }
  }
}

TEST(HalfConversions, TiesRoundToEven) {
  EXPECT_EQ(halfFromFloat(1 + 1.0f / 2048), 0x3c00);
  EXPECT_EQ(halfFromFloat(1 + 3.0f / 2048), 0x3c02);
  EXPECT_EQ(halfFromFloat(1 + 1.0f / 2048 + 1.0f / 65536), 0x3c01);
  EXPECT_EQ(bfloatFromFloat(1 + 1.0f / 256), 0x3f80);
  EXPECT_EQ(bfloatFromFloat(1 + 3.0f / 256), 0x3f82);
}

TEST(HalfConversions, LimitsAndSubnormals) {
  EXPECT_EQ(halfFromFloat(65504), 0x7bff);
  EXPECT_EQ(halfFromFloat(65519.99f), 0x7bff);
  EXPECT_EQ(halfFromFloat(65520), 0x7c00);
  EXPECT_EQ(halfFromFloat(-INFINITY), 0xfc00);
  EXPECT_EQ(halfFromFloat(std::ldexp(1.0f, -24)), 1);
  EXPECT_EQ(halfFromFloat(std::ldexp(1.0f, -25)), 0);
  EXPECT_EQ(halfFromFloat(std::ldexp(1.5f, -25)), 1);
  EXPECT_EQ(halfFromFloat(-0.0f), 0x8000);
  EXPECT_EQ(bfloatFromFloat(std::numeric_limits<float>::max()), 0x7f80);
  // The double is rounded once. If it were rounded to float first, it would become a tie, and then be rounded down.
  EXPECT_EQ(halfFromDouble(1 + 1.0 / 2048 + 1e-12), 0x3c01);
  EXPECT_EQ(bfloatFromDouble(1 + 1.0 / 256 + 1e-12), 0x3f81);
  EXPECT_EQ(halfFromDouble(5e-324), 0);
}

} // namespace
