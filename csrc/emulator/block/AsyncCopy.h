//===- AsyncCopy.h - An asynchronous copy to shared memory -------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_ASYNCCOPY_H
#define HOCKET_EMULATOR_BLOCK_ASYNCCOPY_H

#include "emulator/block/Lane.h"
#include "emulator/machine/CrossLane.h"
#include "emulator/races/VectorClock.h"

#include <array>
#include <optional>

namespace hocket::emulator {

/// With Completion::Random, a copy completes at the latest when the warp has executed this number of later copies,
/// commits and waits.
inline constexpr uint32_t kMaxCopySteps = 12;

/// An asynchronous copy instruction: each lane copies `bytes` bytes from its source to its destination.
struct AsyncCopy {
  /// Source and destination of one lane.
  struct Part {
    const std::byte *source = nullptr; ///< null if the copy writes zeros
    uint64_t destination = 0;          ///< offset of the destination in shared memory
  };

  uint32_t bytes = 0;
  uint32_t site = 0;
  LaneMask lanes = 0; ///< lanes that execute the copy
  /// Epoch of the warp (VectorClock.h) when an mbarrier first tracked the copy; nullopt if no mbarrier tracks the copy.
  std::optional<Epoch> tracked = {};
  std::array<Part, kMaxWarpSize> parts;

  /// Calls `function(lane, destination offset)` for each lane that executes the copy.
  template <typename Function>
  void forEachLane(Function function) const {
    emulator::forEachLane(lanes, [&](unsigned lane) { function(lane, parts[lane].destination); });
  }
};

} // namespace hocket::emulator

#endif
