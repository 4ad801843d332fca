//===- PendingResults.h - Tracks results for which an operation must wait ---------------===//
//
// Loads, MMAs and shuffles return results late, some time after their issue. A warp continues until it uses a result
// that has not been returned. PendingResults assigns a number to each operation with a late result. A value that
// combines several results, or that comes from different blocks, has several numbers. Moves and branches propagate the
// numbers.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_STEPS_PENDINGRESULTS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_STEPS_PENDINGRESULTS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hocket {

/// Indices of operations that return their results late, in ascending order. The operations are numbered from 0.
using ResultNumbers = llvm::SmallVector<uint32_t, 2>;

class PendingResults {
public:
  /// `isLate` returns true for operations that return results some time after their issue.
  PendingResults(mlir::LLVM::LLVMFuncOp kernel, llvm::function_ref<bool(mlir::Operation *)> isLate);

  /// Returns the index of `op` among the operations that return their results late; -1 if `op` returns its results at
  /// once.
  int32_t numberOf(mlir::Operation *op) const;
  mlir::Operation *operator[](uint32_t number) const { return operations[number]; }
  /// Returns the indices of the operations, such as loads, whose results `value` may contain before these results have
  /// been returned.
  llvm::ArrayRef<uint32_t> of(mlir::Value value) const;

private:
  void handOn(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &worklist);

  llvm::SmallVector<mlir::Operation *> operations;
  llvm::DenseMap<mlir::Operation *, uint32_t> numbers;
  llvm::DenseMap<mlir::Value, ResultNumbers> results;
};

} // namespace hocket

#endif
