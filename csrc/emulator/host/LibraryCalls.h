//===- LibraryCalls.h - Library functions that compiled code may call --------------------------===//
#ifndef HOCKET_EMULATOR_HOST_LIBRARYCALLS_H
#define HOCKET_EMULATOR_HOST_LIBRARYCALLS_H

#include "emulator/host/NamedFunction.h"

#include <span>

namespace hocket::emulator {

/// Returns the functions of the C library and of the compiler's support library that compiled code may call.
std::span<const NamedFunction> libraryCalls();

} // namespace hocket::emulator

#endif
