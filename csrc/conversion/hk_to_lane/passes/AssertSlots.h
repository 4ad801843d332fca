//===- AssertSlots.h - Asserts that slot indices of ring buffers are in range ------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_ASSERTSLOTS_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_ASSERTSLOTS_H

#include "conversion/hk_to_lane/passes/TargetLowering.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// Inserts an assertion before each access of a slot of a ring buffer that the slot's index is in range.
void assertSlots(mlir::ModuleOp module, const TargetLowering &targetLowering);

} // namespace hocket

#endif
