//===- RuntimeCalls.h - The functions that emulated code calls -------------------------------===//
//
// Their meaning is in conversion/gpu_to_host/HostAbi.h.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RUNTIMECALLS_H
#define HOCKET_EMULATOR_RUNTIMECALLS_H

#include <span>

namespace hocket::emulator {

struct NamedFunction {
  const char *name;
  void *address;
};

/// The runtime functions of HostAbi.h.
std::span<const NamedFunction> runtimeCalls();
/// What compiled code may call of the C library and of the compiler's support library.
std::span<const NamedFunction> libraryCalls();

} // namespace hocket::emulator

#endif
