//===- MatrixArithmetic.h - Products of plain matrices, with the widest vectors of the host ---===//
//
// The order of additions is not documented: here k ascends, and a scaled product adds up each 32 elements before it
// scales them. Products of two floats of at most 16 bits are exact in an f32, unless they leave its range, so only sums
// are rounded; they are never fused with the products, so that every host gives the same. f32 and f64 use fused
// multiply-adds; i8 wraps around.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXARITHMETIC_H
#define HOCKET_EMULATOR_MACHINE_MATRIXARITHMETIC_H

#include "conversion/gpu_to_host/MatrixOperations.h"

#include <array>

namespace hocket::emulator {

inline constexpr unsigned kScaleBlock = 32;

/// The scales of A or B: `across` rows or columns, each with one per kScaleBlock elements. Lane l has that of row or
/// column l % across and of the elements from kScaleBlock * (l / across).
struct MatrixScales {
  std::array<double, 64> values;
  unsigned across;

  double at(unsigned index, unsigned group) const { return values[group * across + index]; }
};

// c += a x b, block by block, each in rows; aligned to 64 bytes.
void multiplyPlain(const host_abi::MatrixOperation &operation, const float *a, const float *b, float *c);
void multiplyPlain(const host_abi::MatrixOperation &operation, const double *a, const double *b, double *c);
void multiplyPlain(const host_abi::MatrixOperation &operation, const uint32_t *a, const uint32_t *b, uint32_t *c);
void multiplyScaled(const host_abi::MatrixOperation &operation, const float *a, const float *b, float *c,
                    const MatrixScales &scalesA, const MatrixScales &scalesB);

} // namespace hocket::emulator

#endif
