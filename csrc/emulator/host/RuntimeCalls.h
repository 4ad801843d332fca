//===- RuntimeCalls.h - Functions that emulated code calls -------------------------------------===//
#ifndef HOCKET_EMULATOR_HOST_RUNTIMECALLS_H
#define HOCKET_EMULATOR_HOST_RUNTIMECALLS_H

#include "emulator/host/NamedFunction.h"

#include <span>

namespace hocket::emulator {

/// Returns the runtime functions that emulator_abi/HostAbi.def lists. Each function forwards to a component of the
/// block.
std::span<const NamedFunction> runtimeCalls();

} // namespace hocket::emulator

#endif
