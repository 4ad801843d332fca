//===- MatrixArithmetic.h - Multiplies plain matrices with the widest vectors of the host -----===//
//
// The hardware's order of additions is not documented: here k ascends, and a scaled MMA adds up each 32 elements before
// it scales them. Multiplying two floats of at most 16 bits is exact in f32, unless it leaves the range, so only
// sums are rounded; multiplications and additions are never fused, so that every host computes the same. f32 and f64
// use fused multiply-adds; i8 wraps around.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXARITHMETIC_H
#define HOCKET_EMULATOR_MACHINE_MATRIXARITHMETIC_H

#include "emulator_abi/MatrixOperations.h"

#include <array>

namespace hocket::emulator {

inline constexpr unsigned kScaleBlock = 32;

/// The scales of A or B: `across` rows or columns, each with one scale per kScaleBlock elements. Lane l has the scale
/// of row or column l % across and of the elements from kScaleBlock * (l / across).
struct MatrixScales {
  std::array<double, 64> values;
  unsigned across;

  double at(unsigned index, unsigned group) const { return values[group * across + index]; }
};

// c += a x b, block by block, each in row-major order; aligned to 64 bytes.
void multiplyPlain(const host_abi::MatrixOperation &operation, const float *a, const float *b, float *c);
void multiplyPlain(const host_abi::MatrixOperation &operation, const double *a, const double *b, double *c);
void multiplyPlain(const host_abi::MatrixOperation &operation, const uint32_t *a, const uint32_t *b, uint32_t *c);
void multiplyScaled(const host_abi::MatrixOperation &operation, const float *a, const float *b, float *c,
                    const MatrixScales &scalesA, const MatrixScales &scalesB);

} // namespace hocket::emulator

#endif
