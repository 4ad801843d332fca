//===- AsyncSteps.h - The operations of a program that concern some asynchronous accesses ----------===//
//
// The operations that are tracked starts (AsyncUses.h), that meet, commit or wait for them, and the loops, branches and
// partitions around these. All others are left out, so that walks through the steps can be repeated cheaply.
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
  /// True if it may meet one of the starts.
  bool mayMeet = false;
  Counters awaited, committed;
  /// Counters whose accesses complete in another way from here on, such as through an mbarrier.
  Counters handedOver;
  /// The steps of each of its regions.
  std::vector<std::vector<AsyncStep>> regions;
  /// True if it, or an operation in its regions, is one of the starts.
  bool hasStarts = false;
};

/// `isFollowed`: indexed by the number of the start.
std::vector<AsyncStep> asyncSteps(mlir::Region &region, const AsyncUses &uses, const llvm::BitVector &isFollowed);

} // namespace hocket

#endif
