//===- VirtualTime.h - Operations that cost no virtual time --------------------------===//
#ifndef HOCKET_DIALECT_LANE_VIRTUALTIME_H
#define HOCKET_DIALECT_LANE_VIRTUALTIME_H

#include "llvm/ADT/StringRef.h"

namespace hocket::lane {

/// Unit attribute of any operation of the lane form: the emulator's virtual clock does not count the operation.
/// Instrumentation has it, so that observing a kernel does not change its timing.
inline constexpr llvm::StringLiteral kUntimedAttr = "lane.untimed";

} // namespace hocket::lane

#endif
