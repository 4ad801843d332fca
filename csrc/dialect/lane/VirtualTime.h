//===- VirtualTime.h - Operations that cost no virtual time --------------------------===//
#ifndef HOCKET_DIALECT_LANE_VIRTUALTIME_H
#define HOCKET_DIALECT_LANE_VIRTUALTIME_H

#include "llvm/ADT/StringRef.h"

namespace hocket::lane {

/// Unit attribute of any operation of the lane form: the emulator's virtual clock does not count the operation. The
/// profiler's operations have this attribute, so that profiling does not change the timing of the kernel.
inline constexpr llvm::StringLiteral kUntimedAttr = "lane.untimed";

} // namespace hocket::lane

#endif
