//===- Fault.h - What went wrong, before it is put into words -----------------------------===//
#ifndef HOCKET_EMULATOR_FAULT_H
#define HOCKET_EMULATOR_FAULT_H

#include "emulator/Failure.h"

#include <vector>

namespace hocket::emulator {

class Launch;

/// Lanes of one warp that wait at the same place, or have finished.
struct StuckLanes {
  enum class Where : uint8_t { Shuffle, Barrier, Finished };
  Where where;
  uint32_t site = 0;
  uint32_t warp = 0;
  uint64_t lanes = 0;
  uint32_t arrived = 0, expected = 0; ///< lanes of a shuffle, threads of a barrier
};

struct BlockFault {
  FailureKind kind;
  uint32_t site = 0;
  uint32_t thread = 0;
  uint64_t address = 0;
  uint64_t block = 0;
  std::vector<StuckLanes> stuck = {}; ///< of a deadlock
};

/// The words for `fault`.
Failure describe(const Launch &launch, const BlockFault &fault);

} // namespace hocket::emulator

#endif
