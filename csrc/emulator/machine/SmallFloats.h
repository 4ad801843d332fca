//===- SmallFloats.h - Decodes floats of 4 to 32 bits ---------------------------------===//
//
// The formats are those of target/NumberFormats.def.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_SMALLFLOATS_H
#define HOCKET_EMULATOR_MACHINE_SMALLFLOATS_H

#include "emulator_abi/MatrixOperations.h"

#include <cstddef>

namespace hocket::emulator {

/// Decodes the first `count` elements of a register, lowest bits first, to floats. Does not support F64 and the integer
/// formats.
void decodeFloats(NumberFormat element, const std::byte *bits, unsigned count, float *values);

/// Returns the scale of a block of elements: 2 to the power of `bits` - 127, or NaN for 255.
double decodeScale(uint8_t bits);

} // namespace hocket::emulator

#endif
