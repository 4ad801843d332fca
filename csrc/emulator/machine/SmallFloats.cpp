//===- SmallFloats.cpp - Decodes floats of 4 to 32 bits -------------------------------===//
#include "emulator/machine/SmallFloats.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace hocket::emulator {

namespace {

using Table = std::array<float, 256>;

Table tableOf(NumberFormat format) {
  Table table = {};
  for (unsigned bits = 0; bits < 1u << bitsOf(format); ++bits)
    table[bits] = decodeFloat(format, bits);
  return table;
}

/// Returns a table with the value of each bit pattern of a float format of at most 8 bits.
const Table &valuesOf(NumberFormat format) {
  using enum NumberFormat;
  static const Table e4m3 = tableOf(E4M3), e5m2 = tableOf(E5M2), e4m3Fnuz = tableOf(E4M3Fnuz),
                     e5m2Fnuz = tableOf(E5M2Fnuz), e2m3 = tableOf(E2M3), e3m2 = tableOf(E3M2), e2m1 = tableOf(E2M1);
  switch (format) {
  case E4M3:
    return e4m3;
  case E5M2:
    return e5m2;
  case E4M3Fnuz:
    return e4m3Fnuz;
  case E5M2Fnuz:
    return e5m2Fnuz;
  case E2M3:
    return e2m3;
  case E3M2:
    return e3m2;
  default:
    return e2m1;
  }
}

/// Converts a half to a float. Moving the exponent field of a half to the exponent field of a float gives a number that
/// is too small by the factor 2^112, also for subnormal numbers.
float floatFromHalfBits(uint16_t bits) {
  float magnitude = std::bit_cast<float>(uint32_t(bits & 0x7fff) << 13) * 0x1p112f;
  uint32_t beyond = (bits & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | beyond | uint32_t(bits & 0x8000) << 16);
}

template <typename Bits, typename Convert>
void decodeEach(const std::byte *bits, unsigned count, float *values, Convert convert) {
  for (unsigned i = 0; i < count; ++i) {
    Bits element;
    std::memcpy(&element, bits + i * sizeof(Bits), sizeof(Bits));
    values[i] = convert(element);
  }
}

void decodeHalves(const std::byte *bits, unsigned count, float *values) {
  decodeEach<uint16_t>(bits, count, values, floatFromHalfBits);
}

/// Decodes halves with the host's F16C instruction. The instruction makes signaling NaNs quiet, as any arithmetic does.
[[gnu::target("avx,f16c")]] void decodeHalvesWithF16c(const std::byte *bits, unsigned count, float *values) {
  constexpr unsigned kAtOnce = 8;
  using Halves [[gnu::vector_size(kAtOnce * sizeof(_Float16))]] = _Float16;
  using Floats [[gnu::vector_size(kAtOnce * sizeof(float))]] = float;
  unsigned done = 0;
  for (; done + kAtOnce <= count; done += kAtOnce) {
    Halves halves;
    std::memcpy(&halves, bits + done * sizeof(_Float16), sizeof(halves));
    Floats floats = __builtin_convertvector(halves, Floats);
    std::memcpy(values + done, &floats, sizeof(floats));
  }
  decodeHalves(bits + done * sizeof(_Float16), count - done, values + done);
}

} // namespace

void decodeFloats(NumberFormat element, const std::byte *bits, unsigned count, float *values) {
  switch (element) {
  case NumberFormat::F32:
    return decodeEach<float>(bits, count, values, [](float value) { return value; });
  case NumberFormat::TF32:
    return decodeEach<uint32_t>(bits, count, values,
                                [](uint32_t word) { return std::bit_cast<float>(word & 0xffffe000); });
  case NumberFormat::F16: {
    static const auto best =
        __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c") ? decodeHalvesWithF16c : decodeHalves;
    return best(bits, count, values);
  }
  case NumberFormat::BF16:
    return decodeEach<uint16_t>(bits, count, values,
                                [](uint16_t word) { return std::bit_cast<float>(uint32_t(word) << 16); });
  default:
    break;
  }
  const Table &table = valuesOf(element);
  unsigned width = bitsOf(element);
  if (width == 8)
    return decodeEach<uint8_t>(bits, count, values, [&](uint8_t byte) { return table[byte]; });
  for (unsigned i = 0; i < count; ++i) {
    unsigned first = i * width, shift = first % 8;
    unsigned word = unsigned(bits[first / 8]) >> shift;
    if (shift + width > 8)
      word |= unsigned(bits[first / 8 + 1]) << (8 - shift);
    values[i] = table[word & ((1u << width) - 1)];
  }
}

double decodeScale(uint8_t bits) {
  return bits == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, int(bits) - 127);
}

} // namespace hocket::emulator
