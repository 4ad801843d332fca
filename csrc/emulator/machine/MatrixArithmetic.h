//===- MatrixArithmetic.h - Multiplies row-major matrices with vectors of the host -----===//
//
// The hardware's order of additions is not documented. The emulator adds terms in ascending order of k. For a scaled
// MMA, the emulator sums each 32 elements before it scales the sum. For floats of at most 16 bits, multiplications are
// exact in f32 unless they overflow or underflow, so only sums are rounded. Multiplications and additions of floats of
// at most 16 bits are not fused, so that every host computes the same result. f32 and f64 use fused multiply-adds. Sums
// of 8-bit integers wrap around.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXARITHMETIC_H
#define HOCKET_EMULATOR_MACHINE_MATRIXARITHMETIC_H

#include "emulator_abi/MatrixOperations.h"
#include "target/MatrixInstructions.h"

#include <array>

namespace hocket::emulator {

/// The scales of A or B: `across` rows or columns, each with one scale per kElementsPerScale elements. Lane l has the
/// scale of row or column l % across for kElementsPerScale elements, starting at k = kElementsPerScale * (l / across).
struct MatrixScales {
  std::array<double, 64> values;
  unsigned across;

  double at(unsigned index, unsigned group) const { return values[group * across + index]; }
};

// The functions compute c += a x b for each block of the operation. Matrices are row-major and aligned to 64 bytes.
void multiplyPlain(const host_abi::MatrixOperation &operation, const float *a, const float *b, float *c);
void multiplyPlain(const host_abi::MatrixOperation &operation, const double *a, const double *b, double *c);
void multiplyPlain(const host_abi::MatrixOperation &operation, const uint32_t *a, const uint32_t *b, uint32_t *c);
void multiplyScaled(const host_abi::MatrixOperation &operation, const float *a, const float *b, float *c,
                    const MatrixScales &scalesA, const MatrixScales &scalesB);

} // namespace hocket::emulator

#endif
