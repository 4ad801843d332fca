//===- MatrixProduct.h - What matrix instructions compute --------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXPRODUCT_H
#define HOCKET_EMULATOR_MACHINE_MATRIXPRODUCT_H

#include "conversion/gpu_to_host/HostAbi.h"
#include "conversion/gpu_to_host/MatrixOperations.h"

#include <span>

namespace hocket::emulator {

/// Where the operands of each lane of a wave are: 64 lanes on AMD, 32 on NVIDIA.
using WaveOperands = std::span<std::byte *const>;

/// Computes the products of `row`, and gives each lane its part of the results in place of its part of C.
void multiplyMatrices(const host_abi::MatrixRow &row, const WaveOperands &lanes);

} // namespace hocket::emulator

#endif
