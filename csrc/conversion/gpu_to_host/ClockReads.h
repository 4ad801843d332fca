//===- ClockReads.h - Clocks and places of the hardware, as the emulator has them -----------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_CLOCKREADS_H
#define HOCKET_CONVERSION_GPU_TO_HOST_CLOCKREADS_H

#include "conversion/gpu_to_host/Conversions.h"

namespace hocket {

namespace host_abi {
/// `i64 clock(ptr lane)`: the time of the lane's warp.
inline constexpr char kClock[] = "hocket_emulator_clock";
} // namespace host_abi

/// Whether the operation reads a clock: what has been computed before takes its time before.
bool isClockRead(mlir::Operation *op);

/// One of convertOp's conversions.
Converted convertClockRead(HostFunction &host, mlir::Operation *op);

} // namespace hocket

#endif
