//===- ChooseAccesses.h - Chooses the vector width of global memory accesses -----------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_CHOOSEACCESSES_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_CHOOSEACCESSES_H

#include "analysis/axis/AxisInfo.h"
#include "mlir/IR/Operation.h"

namespace hocket {

/// Returns the access that hocket-choose-accesses has chosen for `op`. Without a choice, `op` accesses one element at a
/// time.
AccessShape chosenAccess(mlir::Operation *op);

} // namespace hocket

#endif
