//===- CheckPhases.h - Rejects reads and refills of a tile that come too early -----------===//
//
// If an access, such as a bulk load, completes with a phase of an mbarrier, the user must write the waits for it. A
// mistake that every execution makes is an error:
//
//     hk_nv.tma_load ..., %tile, %bar        scf.for %k { hk_nv.tma_load ..., %ring[%k % 2], ... }
//     %x = hk.local_load %tile               (another partition reads %ring)
//     error: reads before any wait           error: overwrites a tile that may be read
//
// Input:    hk before shared memory is allocated, because buffers are identified by their hk.local_alloc.
// Method:   EarlyReads.h, EarlyRefills.h.
// Not done: waits for the wrong phase; a missing wait if other partitions have waits that may order the same accesses.
//           The emulator reports both.
// Cost:     for each read of a tile that these accesses fill, a walk from the access to the read.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_CHECK_PHASES_CHECKPHASES_H
#define HOCKET_TRANSFORMS_CHECK_PHASES_CHECKPHASES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Emits an error at the first access of `function` that certainly comes before the completion of another one.
mlir::LogicalResult checkPhases(mlir::func::FuncOp function);

} // namespace hocket

#endif
