//===- BulkOrder.h - Rejects bulk loads of a tile that a bulk store may still be writing -----===//
//
// After a wait for the reads of a bulk store, the store is possibly still writing global memory. A bulk load of the
// same part of the tensor can then return old data. A bulk load after a bulk store with the same operands in the same
// basic block is an error if no operation in between possibly waits for the writes. The emulator detects other bulk
// loads that are too early (races/BulkWrites.h).
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PROXY_FENCES_BULKORDER_H
#define HOCKET_TRANSFORMS_PROXY_FENCES_BULKORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Fails with an error at each bulk load that can return old data.
mlir::LogicalResult checkBulkOrder(mlir::func::FuncOp function);

} // namespace hocket

#endif
