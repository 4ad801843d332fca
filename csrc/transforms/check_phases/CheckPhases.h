//===- CheckPhases.h - Rejects reads and refills of a tile that come too early -----------===//
//
// If an access, such as a bulk load, completes with a phase of an mbarrier, the user must write the waits for this
// phase. A missing wait is an error if the access is too early in every execution:
//
//     hk_nv.tma_load ..., %tile, %bar        scf.for %k { hk_nv.tma_load ..., %ring[%k % 2], ... }
//     %x = hk.local_load %tile               (another partition reads %ring)
//     error: reads before any wait           error: overwrites a tile that another partition reads
//
// Input:    hk before shared memory is allocated, because buffers are identified by their hk.local_alloc.
// Method:   EarlyReads.h, EarlyRefills.h.
// Not done: detecting waits for the wrong phase; detecting a missing wait if waits of other partitions possibly order
//           the accesses. The emulator reports both errors at run time.
// Cost:     for each read of a tile that a bulk load or a similar access fills, a walk from this access to the read.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_CHECK_PHASES_CHECKPHASES_H
#define HOCKET_TRANSFORMS_CHECK_PHASES_CHECKPHASES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Emits an error at the first access of `function` that certainly reads or overwrites a tile too early.
mlir::LogicalResult checkPhases(mlir::func::FuncOp function);

} // namespace hocket

#endif
