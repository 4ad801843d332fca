//===- MatrixShadows.h - Which results of a matrix product are undefined -----------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXSHADOWS_H
#define HOCKET_EMULATOR_MACHINE_MATRIXSHADOWS_H

#include "emulator/machine/MatrixProduct.h"

namespace hocket::emulator {

/// `lanes` hold the shadows of the operands of multiplyMatrices: bits that are set are undefined. An element of a
/// result is, all of it, if any element of its row of A, of its column of B, or of C is.
void multiplyMatrixShadows(const host_abi::MatrixRow &row, const WaveOperands &lanes);

} // namespace hocket::emulator

#endif
