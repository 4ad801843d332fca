//===- MmaShadows.h - Finds undefined results of MFMA and mma.sync -------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MMASHADOWS_H
#define HOCKET_EMULATOR_MACHINE_MMASHADOWS_H

#include "emulator/machine/WarpMma.h"

namespace hocket::emulator {

/// Computes the shadow of the result C. `lanes` has the shadows of the operands of multiplyMatrices, in which a set bit
/// marks an undefined bit. All bits of a result element are undefined if its element of C, or any element of its row of
/// A or of its column of B, is undefined.
void multiplyMmaShadows(const host_abi::MatrixRow &row, const WaveOperands &lanes);

} // namespace hocket::emulator

#endif
