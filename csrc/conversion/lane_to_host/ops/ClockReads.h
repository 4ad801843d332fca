//===- ClockReads.h - Converts reads of clocks and hardware identifiers ---------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_OPS_CLOCKREADS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_OPS_CLOCKREADS_H

#include "mlir/IR/Operation.h"

namespace hocket {

/// True if the operation reads a clock. The clocks of arithmetic before a clock read must be added to the virtual clock
/// before the read.
bool isClockRead(mlir::Operation *op);

} // namespace hocket

#endif
