//===- ChooseAccesses.h - Chooses the vector width of global memory accesses -----------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_CHOOSEACCESSES_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_CHOOSEACCESSES_H

#include "analysis/axis/AxisInfo.h"
#include "mlir/IR/Operation.h"

namespace hocket {

/// Returns the choice of hocket-choose-accesses for `op`; without one, one element at a time.
AccessShape chosenAccess(mlir::Operation *op);

} // namespace hocket

#endif
