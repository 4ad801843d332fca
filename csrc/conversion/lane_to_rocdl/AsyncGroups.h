//===- AsyncGroups.h - Groups of copies become waits for a counter --------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_ASYNCGROUPS_H
#define HOCKET_CONVERSION_LANE_TO_ROCDL_ASYNCGROUPS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace hocket {

/// Replaces lane.async_commit_group and lane.async_wait_group in `function`.
void expandAsyncGroups(mlir::IRRewriter &rewriter, mlir::LLVM::LLVMFuncOp function);

} // namespace hocket

#endif
