//===- MemoryLiveness.h - Live intervals of buffers and scratch memory ------------===//
//
// Operations are numbered in program order. A buffer is live from its allocation to the last operation that uses a
// handle of the buffer. Scratch memory is live during its operation. A buffer with an asynchronous access is also live
// until a wait for all groups or, if the access completes on an mbarrier, until the live interval of the mbarrier ends.
// The mbarrier does not extend the interval if the loaded tile is certainly read afterwards, because in a correct
// program the load is complete when the tile is read. In clusters, the mbarrier always extends the interval, because
// other CTAs may be ahead of the CTA that reads the tile, and may then already write the tile. Warps may execute the
// regions of an operation at different times, e.g. the stages of a warp pipeline. A buffer that is used in one of these
// regions is live in all of these regions. Two allocations may share memory unless their intervals overlap.
//
//     0  %a = local_alloc             a [0, 7)     used in every iteration: live until the loop ends
//     1  %b = local_alloc             b [1, 3)
//     2  local_store ..., %b
//     3  scf.for {
//     4    %c = local_alloc           c [4, 6)     allocated in the loop: each iteration has a new buffer
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
  /// The hk.local_alloc, or the operation that uses scratch memory.
  mlir::Operation *owner = nullptr;
  int64_t bytes = 0;
  Interval live;
  hk::MemorySpace getSpace() const { return spaceOf(owner); }
  bool isScratch() const { return !mlir::isa<hk::LocalAllocOp>(owner); }
};

struct MemoryLiveness {
  explicit MemoryLiveness(mlir::Operation *function);

  /// The live intervals of all buffers and scratch memory, in program order.
  llvm::SmallVector<LivePiece> pieces;
  /// A terminator that passes a buffer, which the loop's body allocates, to the next iteration of the loop; null if
  /// there is none. A loop with such a terminator is not supported, because two instances of the buffer would be live
  /// at once.
  mlir::Operation *carriesOwnBuffer = nullptr;
};

} // namespace hocket

#endif
