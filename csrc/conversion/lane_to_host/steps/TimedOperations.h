//===- TimedOperations.h - Timing costs of operations in lane form ----------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_STEPS_TIMEDOPERATIONS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_STEPS_TIMEDOPERATIONS_H

#include "emulator_abi/TimedEvents.h"
#include "target/TargetInfo.h"

#include <optional>

namespace hocket {

/// Returns the event of an operation, with the costs of `target` and without the results for which it waits; nullopt
/// for VALU arithmetic.
std::optional<TimedEvent> timedEventOf(mlir::Operation *op, const TargetInfo &target);

} // namespace hocket

#endif
