//===- RuntimeCalls.h - The functions that emulated code calls ---------------------------------===//
#ifndef HOCKET_EMULATOR_HOST_RUNTIMECALLS_H
#define HOCKET_EMULATOR_HOST_RUNTIMECALLS_H

#include "emulator/host/NamedFunction.h"

#include <span>

namespace hocket::emulator {

/// The runtime functions of conversion/gpu_to_host/HostAbi.h, each a call of the component of the block that it
/// concerns.
std::span<const NamedFunction> runtimeCalls();

} // namespace hocket::emulator

#endif
