//===- NumberFormatsTest.cpp - The table of element formats --------------------------------===//
#include "target/NumberFormats.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>

using namespace hocket;

namespace {

TEST(NumberFormats, FieldsOfFloatsFillTheirBits) {
  std::set<std::string_view> names;
  for (const NumberFormatInfo &info : kNumberFormats) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    if (info.kind != NumberKind::Float)
      continue;
    EXPECT_EQ(1 + info.exponentBits + info.fractionBits, info.name == "tf32" ? 19 : int(info.bits)) << info.name;
  }
}

TEST(NumberFormats, FloatsAreDecoded) {
  EXPECT_EQ(decodeFloat(NumberFormat::F16, 0x3c00), 1.0f);
  EXPECT_EQ(decodeFloat(NumberFormat::F16, 0x8001), -0x1p-24f);
  EXPECT_EQ(decodeFloat(NumberFormat::E5M2, 0x7c), std::numeric_limits<float>::infinity());
  EXPECT_EQ(decodeFloat(NumberFormat::E4M3, 0x7e), 448.0f);
  EXPECT_NE(decodeFloat(NumberFormat::E4M3, 0x7f), decodeFloat(NumberFormat::E4M3, 0x7f));
  EXPECT_EQ(decodeFloat(NumberFormat::E4M3Fnuz, 0x7f), 240.0f);
  EXPECT_NE(decodeFloat(NumberFormat::E4M3Fnuz, 0x80), decodeFloat(NumberFormat::E4M3Fnuz, 0x80));
  EXPECT_EQ(decodeFloat(NumberFormat::E2M1, 0x7), 6.0f);
}

TEST(NumberFormats, Kinds) {
  EXPECT_TRUE(isInteger(NumberFormat::U8));
  EXPECT_FALSE(isFloat8(NumberFormat::I8));
  EXPECT_TRUE(isFloat8(NumberFormat::E5M2Fnuz));
  EXPECT_FALSE(isFloat8(NumberFormat::E3M2));
}

} // namespace
