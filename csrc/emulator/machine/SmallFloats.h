//===- SmallFloats.h - Decodes floats of 4 to 16 bits ---------------------------------===//
//
//   name          sign, exponent, fraction   bias   beyond the largest
//   Fp8E4M3       1, 4, 3                    7      NaN where all bits are set
//   Fp8E5M2       1, 5, 2                    15     infinities and NaNs as in f16
//   Fp8E4M3Fnuz   1, 4, 3                    8      NaN in place of the negative zero
//   Fp8E5M2Fnuz   1, 5, 2                    16     NaN in place of the negative zero
//   Fp6E2M3       1, 2, 3                    1      -
//   Fp6E3M2       1, 3, 2                    3      -
//   Fp4E2M1       1, 2, 1                    1      -
//
// "OCP 8-bit Floating Point Specification (OFP8)" 1.0, "OCP Microscaling Formats (MX) Specification" 1.0.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_SMALLFLOATS_H
#define HOCKET_EMULATOR_MACHINE_SMALLFLOATS_H

#include "emulator_abi/MatrixOperations.h"

#include <cstddef>

namespace hocket::emulator {

/// Decodes the first `count` elements of a register, lowest bits first, to floats. Does not support F64, I32 and I8.
void decodeFloats(host_abi::MatrixElement element, const std::byte *bits, unsigned count, float *values);

/// Returns the scale of a block of elements: 2 to the power of `bits` - 127, or NaN for 255.
double decodeScale(uint8_t bits);

} // namespace hocket::emulator

#endif
