//===- HalfConversions.h - Conversions of 16-bit floats ---------------------------------------===//
//
// Conversions, rounding to nearest, ties to even, that compiled code calls if the host has no instruction for them.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_HOST_HALFCONVERSIONS_H
#define HOCKET_EMULATOR_HOST_HALFCONVERSIONS_H

#include <cstdint>

namespace hocket::emulator {

uint16_t bfloatFromFloat(float value);
uint16_t bfloatFromDouble(double value);
uint16_t halfFromFloat(float value);
uint16_t halfFromDouble(double value);
float floatFromHalf(uint16_t bits);

} // namespace hocket::emulator

#endif
