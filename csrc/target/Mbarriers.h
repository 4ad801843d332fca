//===- Mbarriers.h - Properties of mbarriers on NVIDIA GPUs -------------------------------------===//
//
// PTX ISA 9.0, "Parallel Synchronization and Communication Instructions: mbarrier".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_MBARRIERS_H
#define HOCKET_TARGET_MBARRIERS_H

#include <cstdint>

namespace hocket {

inline constexpr int kMbarrierBytes = 8;
/// Largest values of the two counters of an mbarrier: the number of pending arrivals and the number of pending bytes of
/// a phase.
inline constexpr int64_t kMostMbarrierArrivals = (1 << 20) - 1, kMostMbarrierBytes = (1 << 20) - 1;

} // namespace hocket

#endif
