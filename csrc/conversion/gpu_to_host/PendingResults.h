//===- PendingResults.h - Whose results an operation may have to wait for ---------------===//
//
// Loads, matrix products and shuffles give their results some time after they were issued; a warp goes on until it
// needs one. Each such operation has a number here. A value can be the result of several, once it has been put together
// from them or has come from different blocks; moves and branches only hand it on.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_PENDINGRESULTS_H
#define HOCKET_CONVERSION_GPU_TO_HOST_PENDINGRESULTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hocket {

/// Sorted numbers of results.
using ResultNumbers = llvm::SmallVector<uint32_t, 2>;

class PendingResults {
public:
  /// `isLate` tells which operations have a result that comes later.
  PendingResults(mlir::LLVM::LLVMFuncOp kernel, llvm::function_ref<bool(mlir::Operation *)> isLate);

  /// The number of `op`'s result, or -1.
  int32_t numberOf(mlir::Operation *op) const;
  mlir::Operation *operator[](uint32_t number) const { return operations[number]; }
  /// What `value` may be the result of.
  llvm::ArrayRef<uint32_t> of(mlir::Value value) const;

private:
  void handOn(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &worklist);

  llvm::SmallVector<mlir::Operation *> operations;
  llvm::DenseMap<mlir::Operation *, uint32_t> numbers;
  llvm::DenseMap<mlir::Value, ResultNumbers> results;
};

} // namespace hocket

#endif
