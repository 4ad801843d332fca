//===- TimedOperations.h - What operations of the lane form cost ------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_TIMEDOPERATIONS_H
#define HOCKET_CONVERSION_GPU_TO_HOST_TIMEDOPERATIONS_H

#include "conversion/gpu_to_host/TimedEvents.h"
#include "target/TargetInfo.h"

#include <optional>

namespace hocket {

/// The event of an operation that is more than arithmetic of a vector unit, without what it waits for; nothing for
/// others. By the costs of `target`.
std::optional<TimedEvent> timedEventOf(mlir::Operation *op, const TargetInfo &target);

} // namespace hocket

#endif
