//===- NumberFormats.cpp - Decodes floats of at most 16 bits -------------------------===//
#include "target/NumberFormats.h"

#include <cmath>
#include <limits>

namespace hocket {

float decodeFloat(NumberFormat format, unsigned bits) {
  const NumberFormatInfo &info = infoOf(format);
  unsigned exponents = 1u << info.exponentBits, fractions = 1u << info.fractionBits;
  unsigned exponent = bits / fractions % exponents, fraction = bits % fractions;
  bool isNegative = bits / fractions / exponents;
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  float magnitude = std::ldexp(float(exponent ? fraction + fractions : fraction),
                               int(exponent ? exponent : 1) - info.bias - info.fractionBits);
  switch (info.special) {
  case SpecialValues::AllOnesIsNaN:
    if (exponent == exponents - 1 && fraction == fractions - 1)
      return kNaN;
    break;
  case SpecialValues::AsInIeee:
    if (exponent == exponents - 1)
      magnitude = fraction ? kNaN : std::numeric_limits<float>::infinity();
    break;
  case SpecialValues::NegativeZeroIsNaN:
    if (isNegative && exponent == 0 && fraction == 0)
      return kNaN;
    break;
  case SpecialValues::None:
    break;
  }
  return isNegative ? -magnitude : magnitude;
}

} // namespace hocket
