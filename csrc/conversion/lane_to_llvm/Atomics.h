//===- Atomics.h - Converts atomic lane operations to LLVM atomics ------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_ATOMICS_H
#define HOCKET_CONVERSION_LANE_TO_LLVM_ATOMICS_H

#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hocket {

mlir::LLVM::AtomicOrdering orderingOf(hk::MemSemantic semantic);

/// Emits the llvm.atomicrmw for `op` at `address`, unpredicated. `scope` is the back end's name of the scope. Returns
/// the operation, so that the caller can add metadata.
mlir::LLVM::AtomicRMWOp emitAtomicRmw(mlir::OpBuilder &builder, lane::AtomicRmwOp op, mlir::Value address,
                                      mlir::LLVM::AtomicOrdering ordering, llvm::StringRef scope = {});
/// Emits the llvm.cmpxchg for `op` at `address`. Returns the old value in the type of the operands.
mlir::Value emitAtomicCas(mlir::OpBuilder &builder, lane::AtomicCasOp op, mlir::Value address,
                          mlir::LLVM::AtomicOrdering ordering, llvm::StringRef scope = {});

} // namespace hocket

#endif
