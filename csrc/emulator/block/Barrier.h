//===- Barrier.h - A barrier of a block, released by arrival count ------------------------===//
//
// As on the hardware, a barrier counts threads; it does not know who they are or where in the program they wait.
// Warps that wait at different lines can therefore release each other, which staggered warp pipelines rely on. A warp
// is counted when all of its lanes are there: lanes run one after the other, and a barrier for some of the warps must
// not open for half of one and half of another.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BARRIER_H
#define HOCKET_EMULATOR_BARRIER_H

#include "conversion/gpu_to_host/HostAbi.h"
#include "emulator/races/VectorClock.h"

#include <array>
#include <bit>
#include <cstdint>

namespace hocket::emulator {

inline constexpr unsigned kBarrierCount = 16;

struct Barrier {
  uint32_t arrived = 0;                          ///< threads of warps that have arrived as a whole
  uint32_t expected = 0;                         ///< 0: none has come yet
  uint32_t holding = 0;                          ///< threads whose predicate holds, for reductions
  std::array<uint64_t, kMaxWarps> arriving = {}; ///< lanes of warps that are still to arrive as a whole
  std::array<uint64_t, kMaxWarps> waiting = {};  ///< lanes per warp; those that only arrived are not in it
  VectorClock passedOn;                          ///< what the warps that arrived had released

  /// As the user counts: each thread on its own.
  uint32_t arrivedThreads() const {
    uint32_t threads = arrived;
    for (uint64_t lanes : arriving)
      threads += uint32_t(std::popcount(lanes));
    return threads;
  }

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
