//===- UsableCores.h - Number of CPU cores that this process may use ----------------------------===//
#ifndef HOCKET_SUPPORT_USABLECORES_H
#define HOCKET_SUPPORT_USABLECORES_H

namespace hocket {

/// Returns the number of cores on which the calling thread may run, at least 1. `taskset`, containers and batch systems
/// may grant fewer than the machine has, which std::thread::hardware_concurrency() counts.
unsigned usableCores();

} // namespace hocket

#endif
