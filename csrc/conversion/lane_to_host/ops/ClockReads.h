//===- ClockReads.h - Reads of clocks and hardware identifiers ------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_OPS_CLOCKREADS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_OPS_CLOCKREADS_H

#include "conversion/lane_to_host/Conversions.h"

namespace hocket {

/// True if the operation reads a clock: the time of preceding arithmetic must be counted before it.
bool isClockRead(mlir::Operation *op);

/// Converts a read of a clock or a hardware identifier; one of convertOp's conversions.
Converted convertClockRead(HostFunction &host, mlir::Operation *op);

} // namespace hocket

#endif
