//===- CheckPhases.h - Refuse reads and refills that come before an mbarrier's phase -----===//
//
// The kernel alone orders an access that completes with a phase of an mbarrier, such as a bulk load. A certain mistake is
// an error:
//
//     hk_nv.tma_load ..., %tile, %bar        scf.for %k { hk_nv.tma_load ..., %ring[%k % 2], ... }
//     %x = hk.local_load %tile               (another partition reads %ring)
//     error: reads before any wait           error: overwrites a tile that may be read
//
// Input:    hk before shared memory is allocated: buffers are told apart by their allocations.
// Method:   EarlyReads.h, EarlyRefills.h.
// Not done: waits for the wrong phase; a missing wait beside waits that may order the same accesses through other
//           partitions. The emulator reports both.
// Cost:     for each read of a tile that such accesses fill, a walk from the access to the read.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_CHECK_PHASES_CHECKPHASES_H
#define HOCKET_TRANSFORMS_CHECK_PHASES_CHECKPHASES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Emits an error at the first access of `function` that certainly comes too early.
mlir::LogicalResult checkPhases(mlir::func::FuncOp function);

} // namespace hocket

#endif
