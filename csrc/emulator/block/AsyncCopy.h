//===- AsyncCopy.h - An asynchronous copy to shared memory -------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_ASYNCCOPY_H
#define HOCKET_EMULATOR_BLOCK_ASYNCCOPY_H

#include "emulator/block/Lane.h"
#include "emulator/machine/CrossLane.h"
#include "emulator/races/VectorClock.h"

#include <array>
#include <optional>

namespace hocket::emulator {

/// One instruction: each lane copies `bytes` bytes from its source to its destination.
struct AsyncCopy {
  /// What one lane brings.
  struct Part {
    const std::byte *source = nullptr; ///< null: zeros
    uint64_t destination = 0;          ///< offset in shared memory
  };

  uint32_t bytes = 0;
  uint32_t site = 0;
  LaneMask lanes = 0; ///< those that take part
  /// When an mbarrier was first told to wait for it, if one was: an epoch of its warp.
  std::optional<Epoch> tracked = {};
  std::array<Part, kMaxWarpSize> parts;

  /// Calls `function(lane, offset where it writes)`.
  template <typename Function>
  void forEachLane(Function function) const {
    emulator::forEachLane(lanes, [&](unsigned lane) { function(lane, parts[lane].destination); });
  }
};

} // namespace hocket::emulator

#endif
