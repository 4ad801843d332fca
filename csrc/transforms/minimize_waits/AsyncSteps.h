//===- AsyncSteps.h - The operations that matter for some asynchronous accesses ---------------===//
//
// The *steps* of a region are the operations that start one of the given accesses (AsyncUses.h), conflict with one,
// commit one or wait for one, and the loops, branches and partitions around these. All other operations are left out,
// so that walks over the steps can be repeated cheaply.
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
  /// True if `op` may conflict with one of the accesses.
  bool mayMeet = false;
  Counters awaited, committed;
  /// Counters whose accesses from here on complete through something else, such as an mbarrier.
  Counters handedOver;
  /// The steps in each region of `op`.
  std::vector<std::vector<AsyncStep>> regions;
  /// True if `op`, or an operation in its regions, starts one of the accesses.
  bool hasStarts = false;
};

/// Returns the steps of `region`. `isFollowed[n]`: access n of AsyncUses is one of those that matter.
std::vector<AsyncStep> asyncSteps(mlir::Region &region, const AsyncUses &uses, const llvm::BitVector &isFollowed);

} // namespace hocket

#endif
