//===- AssertSlots.h - Slots of rings exist where they are used ----------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_ASSERTSLOTS_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_ASSERTSLOTS_H

#include "conversion/hk_to_lane/passes/TargetLowering.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// Asserts, before each access through an index of a ring, that the ring has such a slot.
void assertSlots(mlir::ModuleOp module, const TargetLowering &targetLowering);

} // namespace hocket

#endif
