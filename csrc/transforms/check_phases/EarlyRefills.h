//===- EarlyRefills.h - Finds tiles that are refilled before their readers have arrived ---===//
#ifndef HOCKET_TRANSFORMS_CHECK_PHASES_EARLYREFILLS_H
#define HOCKET_TRANSFORMS_CHECK_PHASES_EARLYREFILLS_H

#include "transforms/check_phases/PhaseAccesses.h"

namespace hocket {

struct EarlyRefill {
  const PhaseAccesses::Start *start = nullptr;
  mlir::Operation *read = nullptr;
  /// The arrival of the readers at an mbarrier for which no operation waits; null if there is none.
  mlir::Operation *arrival = nullptr;
  mlir::Value barrier = {};
};

/// Returns the first access that certainly overwrites a tile without waiting for the partitions that read the tile;
/// nullopt if there is none.
std::optional<EarlyRefill> findEarlyRefill(const PhaseAccesses &accesses);

} // namespace hocket

#endif
