//===- BulkOrder.h - Rejects bulk loads of blocks that a bulk store may still write ----------===//
//
// A wait for the reads of a bulk store allows its tile to be overwritten; the store may still be writing global memory.
// A bulk load of the same block of the same tensor then returns the old data. If no wait for the writes can be in
// between, that is an error; if tiles or paths differ, the emulator checks for it (races/BulkWrites.h).
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PROXY_FENCES_BULKORDER_H
#define HOCKET_TRANSFORMS_PROXY_FENCES_BULKORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Emits an error at each such load, and fails if there is one.
mlir::LogicalResult checkBulkOrder(mlir::func::FuncOp function);

} // namespace hocket

#endif
