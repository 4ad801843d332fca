//===- HostArrays.h - Memory of a launch's arrays on the host --------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_HOSTARRAYS_H
#define HOCKET_BINDINGS_DISPATCH_HOSTARRAYS_H

#include "bindings/dispatch/Specialization.h"
#include "runtime/HostArray.h"

namespace hocket::dispatch {

/// Returns the array arguments in host memory, which emulated kernels access; empty for launches on GPUs.
std::vector<HostArray> hostArraysOf(const Specialization &call);

} // namespace hocket::dispatch

#endif
