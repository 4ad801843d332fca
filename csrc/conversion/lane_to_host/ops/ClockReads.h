//===- ClockReads.h - Converts reads of clocks and hardware identifiers ---------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_OPS_CLOCKREADS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_OPS_CLOCKREADS_H

#include "mlir/IR/Operation.h"

namespace hocket {

/// True if the operation reads a clock. The virtual clock must include all arithmetic that precedes the clock read.
bool isClockRead(mlir::Operation *op);

} // namespace hocket

#endif
