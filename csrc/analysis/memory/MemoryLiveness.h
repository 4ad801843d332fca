//===- MemoryLiveness.h - Live intervals of buffers and scratch memory ------------===//
//
// Operations are numbered in program order. A buffer is live from its allocation to the last operation that uses a
// handle of it, and scratch memory during its operation. An asynchronously accessed buffer is also live until a wait
// for all groups, or as long as the barrier that signals completion. A load that completes at a barrier is complete
// where its data is read: a program that reads earlier is wrong, whatever the placement. So the barrier extends the
// interval only if no read of the same memory certainly follows. (In clusters it always does: other blocks may write
// the data, and be ahead of the block that reads it.) A buffer used in a region that warps execute at different times
// (a stage of a warp pipeline) is live in all regions where other warps may be (all stages). Two allocations may share
// memory unless their intervals overlap.
//
//     0  %a = local_alloc             a [0, 7)     used in the loop, which repeats: live until the loop ends
//     1  %b = local_alloc             b [1, 3)
//     2  local_store ..., %b
//     3  scf.for {
//     4    %c = local_alloc           c [4, 6)     allocated in the loop: each iteration has a new one
//     5    local_store ..., %c
//     6    local_load %a
//        }
//     7  convert_layout               scratch [7, 8)
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_MEMORYLIVENESS_H
#define HOCKET_ANALYSIS_MEMORYLIVENESS_H

#include "analysis/memory/MemoryAliases.h"

namespace hocket {

struct LivePiece {
  /// hk.local_alloc, or the operation with the scratch.
  mlir::Operation *owner = nullptr;
  int64_t bytes = 0;
  Interval live;
  hk::MemorySpace getSpace() const { return spaceOf(owner); }
  bool isScratch() const { return !mlir::isa<hk::LocalAllocOp>(owner); }
};

struct MemoryLiveness {
  explicit MemoryLiveness(mlir::Operation *function);

  /// In program order.
  llvm::SmallVector<LivePiece> pieces;
  /// A terminator that carries a buffer into the next iteration of the loop that allocates it, where it would overlap
  /// with itself; null if there is none.
  mlir::Operation *carriesOwnBuffer = nullptr;
};

} // namespace hocket

#endif
