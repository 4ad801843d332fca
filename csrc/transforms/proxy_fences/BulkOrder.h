//===- BulkOrder.h - Refuses bulk loads of what a bulk store is still to write ---------------===//
//
// A wait for the reads of a bulk store lets its tile be written again; the store may still be writing global memory. A
// bulk load of the same block of the same tensor then brings the old data. Where no wait for the writes can come in
// between, that is an error; where tiles or paths differ, the emulator looks for it (races/BulkWrites.h).
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PROXY_FENCES_BULKORDER_H
#define HOCKET_TRANSFORMS_PROXY_FENCES_BULKORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Fails with an error at each such load.
mlir::LogicalResult checkBulkOrder(mlir::func::FuncOp function);

} // namespace hocket

#endif
