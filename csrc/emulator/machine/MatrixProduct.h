//===- MatrixProduct.h - What an AMD matrix instruction computes --------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXPRODUCT_H
#define HOCKET_EMULATOR_MACHINE_MATRIXPRODUCT_H

#include "conversion/gpu_to_host/HostAbi.h"
#include "conversion/gpu_to_host/MatrixOperations.h"

#include <array>

namespace hocket::emulator {

/// Where the operands of each lane of a wave are.
using WaveOperands = std::array<std::byte *, 64>;

/// Computes the products of `row`, and gives each lane its part of the results in place of its part of C.
void multiplyMatrices(const host_abi::MatrixRow &row, const WaveOperands &lanes);

} // namespace hocket::emulator

#endif
