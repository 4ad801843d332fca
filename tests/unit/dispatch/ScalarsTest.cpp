//===- ScalarsTest.cpp - Numbers as kernel arguments -------------------------------===//
#include "dispatch/Scalars.h"

#include <bit>
#include <gtest/gtest.h>

namespace hocket::dispatch {

static Integer integer(int64_t value) { return {static_cast<uint64_t>(value)}; }
static constexpr uint64_t kAboveI64 = uint64_t(1) << 63;

TEST(PassInteger, TakesTheSmallestTypeThatHoldsIt) {
  auto elementOf = [](Integer value) { return passInteger(value, ParameterMode::Specialize)->element; };
  EXPECT_EQ(elementOf(integer(0)), Element::Int32);
  EXPECT_EQ(elementOf(integer(INT32_MAX)), Element::Int32);
  EXPECT_EQ(elementOf(integer(INT32_MIN)), Element::Int32);
  EXPECT_EQ(elementOf(integer(int64_t(INT32_MAX) + 1)), Element::Int64);
  EXPECT_EQ(elementOf(integer(int64_t(INT32_MIN) - 1)), Element::Int64);
  EXPECT_EQ(elementOf({kAboveI64, true}), Element::UInt64);
}

TEST(PassInteger, OneIsAConstantUnlessNothingMayBeReliedOn) {
  EXPECT_FALSE(passInteger(integer(1), ParameterMode::Specialize));
  EXPECT_FALSE(passInteger(integer(1), ParameterMode::NoAlignment));
  EXPECT_TRUE(passInteger(integer(1), ParameterMode::NoSpecialize));
}

TEST(PassInteger, MultiplesOfSixteenAreKnownWhereAsked) {
  EXPECT_TRUE(passInteger(integer(32), ParameterMode::Specialize)->isDivisible);
  EXPECT_TRUE(passInteger(integer(-32), ParameterMode::Specialize)->isDivisible);
  EXPECT_TRUE(passInteger({kAboveI64, true}, ParameterMode::Specialize)->isDivisible);
  EXPECT_FALSE(passInteger(integer(24), ParameterMode::Specialize)->isDivisible);
  EXPECT_FALSE(passInteger(integer(32), ParameterMode::NoAlignment)->isDivisible);
  EXPECT_TRUE(isDivisibleAddress(4096, ParameterMode::Specialize));
  EXPECT_FALSE(isDivisibleAddress(4104, ParameterMode::Specialize));
  EXPECT_FALSE(isDivisibleAddress(4096, ParameterMode::NoSpecialize));
}

TEST(BitsOfInteger, FitBetweenTheLimitsOfTheirType) {
  struct Limits {
    Element element;
    int64_t lowest, highest;
  };
  for (auto [element, lowest, highest] :
       {Limits{Element::Int1, 0, 1}, Limits{Element::Int8, -128, 127}, Limits{Element::UInt8, 0, 255},
        Limits{Element::Int16, -32768, 32767}, Limits{Element::UInt16, 0, 65535},
        Limits{Element::Int32, INT32_MIN, INT32_MAX}, Limits{Element::UInt32, 0, UINT32_MAX}}) {
    EXPECT_TRUE(bitsOfInteger(integer(lowest), element)) << elementName(element);
    EXPECT_TRUE(bitsOfInteger(integer(highest), element)) << elementName(element);
    EXPECT_FALSE(bitsOfInteger(integer(lowest - 1), element)) << elementName(element);
    EXPECT_FALSE(bitsOfInteger(integer(highest + 1), element)) << elementName(element);
    EXPECT_FALSE(bitsOfInteger({kAboveI64, true}, element)) << elementName(element);
  }
  EXPECT_EQ(bitsOfInteger(integer(INT64_MIN), Element::Int64), kAboveI64);
  EXPECT_FALSE(bitsOfInteger({kAboveI64, true}, Element::Int64));
  EXPECT_EQ(bitsOfInteger({kAboveI64, true}, Element::UInt64), kAboveI64);
  EXPECT_FALSE(bitsOfInteger(integer(-1), Element::UInt64));
}

TEST(BitsOfFloat, KernelsTakeSingleAndDoublePrecision) {
  EXPECT_EQ(bitsOfFloat(1.5, Element::Float32), std::bit_cast<uint32_t>(1.5f));
  EXPECT_EQ(bitsOfFloat(0.1, Element::Float64), std::bit_cast<uint64_t>(0.1));
  EXPECT_FALSE(bitsOfFloat(1.5, Element::Float16));
}

} // namespace hocket::dispatch
