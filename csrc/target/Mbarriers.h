//===- Mbarriers.h - What mbarriers of NVIDIA's GPUs can do -------------------------------------===//
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
/// The ranges of the two counters of an mbarrier: arrivals and bytes of a phase.
inline constexpr int64_t kMostMbarrierArrivals = (1 << 20) - 1, kMostMbarrierBytes = (1 << 20) - 1;

/// Whether mbarriers count the bytes that copies bring, take several arrivals at once, and suspend who waits: Hopper's.
inline bool hasTransactionMbarriers(const TargetInfo &target) { return target.family == "Hopper"; }

} // namespace hocket

#endif
