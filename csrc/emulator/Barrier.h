//===- Barrier.h - A barrier of a block, released by arrival count ------------------------===//
//
// As on the hardware, a barrier counts threads; it does not know who they are or where in the program they wait.
// Warps that wait at different lines can therefore release each other, which staggered warp pipelines rely on.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BARRIER_H
#define HOCKET_EMULATOR_BARRIER_H

#include "conversion/gpu_to_host/HostAbi.h"

#include <array>
#include <cstdint>

namespace hocket::emulator {

inline constexpr unsigned kBarrierCount = 16;
inline constexpr unsigned kMaxWarps = 32;

struct Barrier {
  uint32_t arrived = 0;
  uint32_t expected = 0;
  uint32_t holding = 0;                         ///< threads whose predicate holds, for reductions
  std::array<uint64_t, kMaxWarps> waiting = {}; ///< lanes per warp; those that only arrived are not in it

  uint32_t reduce(host_abi::BarrierReduction reduction) const {
    switch (reduction) {
    case host_abi::BarrierReduction::And:
      return holding == arrived;
    case host_abi::BarrierReduction::Or:
      return holding != 0;
    case host_abi::BarrierReduction::Count:
      break;
    }
    return holding;
  }
};

} // namespace hocket::emulator

#endif
