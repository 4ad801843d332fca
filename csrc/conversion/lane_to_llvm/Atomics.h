//===- Atomics.h - Atomic lane operations that LLVM itself knows --------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_LLVM_ATOMICS_H
#define HOCKET_CONVERSION_LANE_TO_LLVM_ATOMICS_H

#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hocket {

mlir::LLVM::AtomicOrdering orderingOf(hk::MemSemantic semantic);

/// llvm.atomicrmw that does at `address` what `op` does, unpredicated. `scope` is the back end's name. Returns the
/// operation, so that the caller may add metadata.
mlir::LLVM::AtomicRMWOp emitAtomicRmw(mlir::OpBuilder &builder, lane::AtomicRmwOp op, mlir::Value address,
                                      mlir::LLVM::AtomicOrdering ordering, llvm::StringRef scope = {});
/// llvm.cmpxchg in the same way. Returns the old value in the type of the operands.
mlir::Value emitAtomicCas(mlir::OpBuilder &builder, lane::AtomicCasOp op, mlir::Value address,
                          mlir::LLVM::AtomicOrdering ordering, llvm::StringRef scope = {});

} // namespace hocket

#endif
