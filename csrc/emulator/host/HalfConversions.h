//===- HalfConversions.h - Conversions of 16-bit floats ---------------------------------------===//
//
// Compiled code calls these conversions if the host has no instructions for them. The conversions round to nearest,
// ties to even.
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
