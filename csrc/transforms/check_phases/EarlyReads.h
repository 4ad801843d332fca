//===- EarlyReads.h - Finds reads of a tile before any wait for the access that fills the tile ---===//
#ifndef HOCKET_TRANSFORMS_CHECK_PHASES_EARLYREADS_H
#define HOCKET_TRANSFORMS_CHECK_PHASES_EARLYREADS_H

#include "transforms/check_phases/PhaseAccesses.h"

namespace hocket {

struct EarlyRead {
  mlir::Operation *read = nullptr;
  /// The operation that starts the access that fills the tile.
  const PhaseAccesses::Start *start = nullptr;
};

/// Returns the first read that is certainly executed before the access that fills its tile has completed; nullopt if
/// there is none.
std::optional<EarlyRead> findEarlyRead(const PhaseAccesses &accesses);

} // namespace hocket

#endif
