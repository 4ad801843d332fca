//===- MatrixProduct.h - What an AMD matrix instruction computes --------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXPRODUCT_H
#define HOCKET_EMULATOR_MACHINE_MATRIXPRODUCT_H

#include "conversion/gpu_to_host/HostAbi.h"
#include "conversion/gpu_to_host/MatrixOperations.h"

#include <array>

namespace hocket::emulator {

using WaveOperands = std::array<host_abi::MatrixOperands *, 64>;

/// Multiplies what the lanes of a wave hold, and gives each its part of the result in place of its part of C.
void multiplyMatrices(const host_abi::MatrixOperation &operation, host_abi::MatrixFormats formats,
                      const WaveOperands &lanes);

} // namespace hocket::emulator

#endif
