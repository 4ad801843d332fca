//===- AsyncSteps.h - Of a program, what concerns some asynchronous accesses -----------------------===//
//
// The operations that begin the starts that are followed (AsyncUses.h), that meet, commit or wait for them, and the
// loops, branches and partitions around these. All else is left out, so that a walk through the steps may be repeated.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_ASYNCSTEPS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_ASYNCSTEPS_H

#include "analysis/async/AsyncUses.h"
#include "llvm/ADT/BitVector.h"

#include <vector>

namespace hocket {

struct AsyncStep {
  using Counters = llvm::SmallVector<hk::AsyncCounter, 1>;

  mlir::Operation *op = nullptr;
  llvm::SmallVector<unsigned, 1> starts;
  /// It may meet one of the starts.
  bool mayMeet = false;
  Counters awaited, committed;
  /// Somebody else tells from here on when what is on these is done.
  Counters handedOver;
  /// Of each of its regions.
  std::vector<std::vector<AsyncStep>> regions;
  /// It, or what is in its regions, is one of the starts.
  bool hasStarts = false;
};

/// `isFollowed`: by the numbers of starts.
std::vector<AsyncStep> asyncSteps(mlir::Region &region, const AsyncUses &uses, const llvm::BitVector &isFollowed);

} // namespace hocket

#endif
