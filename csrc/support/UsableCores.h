//===- UsableCores.h - Number of CPU cores that this process may use ----------------------------===//
#ifndef HOCKET_SUPPORT_USABLECORES_H
#define HOCKET_SUPPORT_USABLECORES_H

namespace hocket {

/// Returns the number of cores on which the calling thread may run, at least 1. With `taskset`, in containers and in
/// batch systems, the number is often less than std::thread::hardware_concurrency(), which counts the cores of the
/// machine.
unsigned usableCores();

} // namespace hocket

#endif
