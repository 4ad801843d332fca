//===- HalfConversions.cpp - Conversions of 16-bit floats -------------------------------------===//
//
// These functions do not cast to or from 16-bit floats, because the compiler would turn such a cast into a call of the
// function itself.
//
//===------------------------------------------------------------------------------===//
#include "emulator/host/HalfConversions.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hocket::emulator {

/// Returns `value` / 2^`shift`, rounded to nearest, ties to even.
static uint64_t shiftRounding(uint64_t value, unsigned shift) {
  if (shift == 0)
    return value;
  if (shift > 63)
    return 0;
  uint64_t kept = value >> shift, lost = value & ((uint64_t(1) << shift) - 1), half = uint64_t(1) << (shift - 1);
  return kept + (lost > half || (lost == half && (kept & 1)));
}

/// Returns the bits of the float with `exponentBits` and `fractionBits` that is nearest to `value`, ties to even.
static uint16_t narrow(double value, int exponentBits, int fractionBits) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint64_t sign = bits >> 63 << (exponentBits + fractionBits);
  uint64_t infinity = ((uint64_t(1) << exponentBits) - 1) << fractionBits;
  if (std::isnan(value))
    return uint16_t(sign | infinity | uint64_t(1) << (fractionBits - 1));
  if (std::isinf(value))
    return uint16_t(sign | infinity);
  int exponent = int(bits >> 52 & 0x7ff) - 1023, bias = (1 << (exponentBits - 1)) - 1;
  uint64_t fraction = (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(bits >> 52 & 0x7ff ? 1 : 0) << 52;
  // For a subnormal result, the exponent is fixed and the fraction loses bits.
  int deficit = std::max(0, 1 - bias - exponent);
  uint64_t rounded = shiftRounding(fraction, unsigned(52 - fractionBits + deficit));
  // The leading bit of a normal number adds one to the exponent field. A carry out of the fraction also adds one.
  uint64_t field = deficit ? 0 : uint64_t(exponent + bias - 1);
  uint64_t magnitude = (field << fractionBits) + rounded;
  return uint16_t(sign | (exponent > bias || magnitude > infinity ? infinity : magnitude));
}

uint16_t bfloatFromFloat(float value) {
  // Fast path for the most frequent conversion: bfloat16 is the upper half of a float.
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
uint16_t bfloatFromDouble(double value) { return narrow(value, 8, 7); }
uint16_t halfFromFloat(float value) { return narrow(double(value), 5, 10); }
uint16_t halfFromDouble(double value) { return narrow(value, 5, 10); }

float floatFromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  int fraction = bits & 1023;
  float magnitude = exponent == 31  ? (fraction ? std::nanf("") : HUGE_VALF)
                    : exponent == 0 ? std::ldexp(float(fraction), -24)
                                    : std::ldexp(float(fraction | 1024), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

} // namespace hocket::emulator
