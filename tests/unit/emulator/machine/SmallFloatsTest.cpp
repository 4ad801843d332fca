//===- SmallFloatsTest.cpp - Every bit pattern of every small float ---------------------------------------===//
#include "emulator/machine/SmallFloats.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace hocket::emulator;
using hocket::NumberFormat;
using llvm::APFloat;

namespace {

TEST(SmallFloats, EveryPatternAgreesWithLlvm) {
  const std::pair<NumberFormat, const llvm::fltSemantics *> formats[] = {
      {NumberFormat::F16, &APFloat::IEEEhalf()},
      {NumberFormat::BF16, &APFloat::BFloat()},
      {NumberFormat::E4M3, &APFloat::Float8E4M3FN()},
      {NumberFormat::E5M2, &APFloat::Float8E5M2()},
      {NumberFormat::E4M3Fnuz, &APFloat::Float8E4M3FNUZ()},
      {NumberFormat::E5M2Fnuz, &APFloat::Float8E5M2FNUZ()},
      {NumberFormat::E2M3, &APFloat::Float6E2M3FN()},
      {NumberFormat::E3M2, &APFloat::Float6E3M2FN()},
      {NumberFormat::E2M1, &APFloat::Float4E2M1FN()},
  };
  for (auto [element, semantics] : formats) {
    unsigned width = bitsOf(element), count = 1u << width;
    std::vector<std::byte> memory((size_t(count) * width + 7) / 8 + 1);
    for (unsigned pattern = 0; pattern < count; ++pattern)
      for (unsigned bit = 0; bit < width; ++bit)
        if (pattern >> bit & 1)
          memory[(pattern * width + bit) / 8] |= std::byte(1 << (pattern * width + bit) % 8);
    std::vector<float> values(count);
    decodeFloats(element, memory.data(), count, values.data());
    for (unsigned pattern = 0; pattern < count; ++pattern) {
      APFloat expected(*semantics, llvm::APInt(width, pattern));
      bool loses = false;
      expected.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
      if (expected.isNaN())
        EXPECT_TRUE(std::isnan(values[pattern])) << int(element) << ": " << pattern;
      else
        ASSERT_EQ(std::bit_cast<uint32_t>(values[pattern]), std::bit_cast<uint32_t>(expected.convertToFloat()))
            << int(element) << ": " << pattern;
    }
  }
}

TEST(SmallFloats, Scales) {
  EXPECT_EQ(decodeScale(127), 1.0);
  EXPECT_EQ(decodeScale(0), std::ldexp(1.0, -127));
  EXPECT_EQ(decodeScale(254), std::ldexp(1.0, 127));
  EXPECT_TRUE(std::isnan(decodeScale(255)));
}

} // namespace
