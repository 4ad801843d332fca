//===- WarpMma.h - Computes MFMA and mma.sync instructions -------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_WARPMMA_H
#define HOCKET_EMULATOR_MACHINE_WARPMMA_H

#include "emulator_abi/HostAbi.h"
#include "emulator_abi/MatrixOperations.h"

#include <span>

namespace hocket::emulator {

/// Addresses of the operands of each lane of a wave: 64 lanes on AMD, 32 on NVIDIA.
using WaveOperands = std::span<std::byte *const>;

/// Computes the MMAs of the batch `row` in order. Each MMA overwrites its operand C with the result. C is distributed
/// over the lanes.
void multiplyMatrices(const host_abi::MatrixRow &row, const WaveOperands &lanes);

} // namespace hocket::emulator

#endif
