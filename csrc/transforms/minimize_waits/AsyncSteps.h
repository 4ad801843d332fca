//===- AsyncSteps.h - Selects operations that concern given asynchronous accesses -------------===//
//
// The *steps* of a region are the operations that start, commit, wait for or conflict with one of the given
// asynchronous accesses (AsyncUses.h), and the loops, branches and partitions around these operations. Walks over the
// steps are cheaper than walks over all operations.
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
  /// True if `op` may conflict with one of the given accesses.
  bool mayConflict = false;
  Counters awaited, committed;
  /// If `op` is an AsyncArrival: the counters whose accesses in flight will complete on an mbarrier instead of a
  /// counter.
  Counters handedOver;
  /// For each region of `op`, the steps in this region.
  std::vector<std::vector<AsyncStep>> regions;
  /// True if `op`, or an operation in its regions, starts one of the given accesses.
  bool hasStarts = false;
};

/// Returns the steps of `region` for the accesses of AsyncUses whose bit is set in `isFollowed`.
std::vector<AsyncStep> asyncSteps(mlir::Region &region, const AsyncUses &uses, const llvm::BitVector &isFollowed);

} // namespace hocket

#endif
