//===- VirtualTime.h - What costs no virtual time ------------------------------------===//
#ifndef HOCKET_DIALECT_LANE_VIRTUALTIME_H
#define HOCKET_DIALECT_LANE_VIRTUALTIME_H

#include "llvm/ADT/StringRef.h"

namespace hocket::lane {

/// Unit attribute of any operation of the lane form: the emulator's virtual clock does not count it. So that what
/// observes a kernel does not change what it observes.
inline constexpr llvm::StringLiteral kUntimedAttr = "lane.untimed";

} // namespace hocket::lane

#endif
