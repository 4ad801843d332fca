//===- ReleaseWaits.h - Releases in loops wait, whatever LLVM thinks ---------------------------===//
//
// What is to be seen by others has to be done first: in front of a barrier, of an atomic with release semantics, LLVM
// puts an s_waitcnt. It takes it for superfluous where nothing is pending the first time it looks, which in a loop is
// before it knows what the end of the loop leaves pending; and what it has deleted once does not come back:
//
//     loop:  (s_waitcnt lgkmcnt(0))   deleted: nothing is pending where the loop is entered
//            s_barrier
//            ds_read ..
//            s_barrier
//            ds_write ..              pending at the barrier on the top of the next iteration
//            s_cbranch loop
//
// (SIInsertWaitcnts.cpp, waits that SIMemoryLegalizer marks as `soft`; seen with 22.1.8.) An s_waitcnt of the program's
// own is never deleted, and the two become one.
//
//     fence release, of LDS or of a block           ->  and s_waitcnt lgkmcnt(0)
//     fence release, of memory beyond the block     ->  and s_waitcnt vmcnt(0)
//     atomic release, acq_rel                       ->  fence release, and so on; atomic relaxed, acquire
//     what reads have to be finished behind a bare barrier of a warp pipeline     ->  and s_waitcnt lgkmcnt(0)
//
// Within a block global memory is in order without a wait (gfx942 and gfx950 outside of their threadgroup split mode).
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_RELEASEWAITS_H
#define HOCKET_CONVERSION_LANE_TO_ROCDL_RELEASEWAITS_H

#include "conversion/lane_to_llvm/Expansion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hocket {

/// Adds s_waitcnt to the releases in loops of `function`, in which atomics are still lane operations.
void waitAtReleasesInLoops(mlir::LLVM::LLVMFuncOp function, const ScopeNames &scopes);

} // namespace hocket

#endif
