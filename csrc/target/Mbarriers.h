//===- Mbarriers.h - Properties of mbarriers on NVIDIA GPUs -------------------------------------===//
//
// PTX ISA 9.0, "Parallel Synchronization and Communication Instructions: mbarrier".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_MBARRIERS_H
#define HOCKET_TARGET_MBARRIERS_H

#include "target/TargetInfo.h"

#include <cstdint>

namespace hocket {

inline constexpr int kMbarrierBytes = 8;
/// Limits of the two counters of an mbarrier: pending arrivals and pending bytes of a phase.
inline constexpr int64_t kMostMbarrierArrivals = (1 << 20) - 1, kMostMbarrierBytes = (1 << 20) - 1;

/// True on Hopper, whose mbarriers count bytes of asynchronous copies (tx-count), take several arrivals at once and can
/// suspend waiting threads.
inline bool hasTransactionMbarriers(const TargetInfo &target) { return target.family == "Hopper"; }

} // namespace hocket

#endif
