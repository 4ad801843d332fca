//===- Rows.h - Collects batches of operations that share a rendezvous ---------------------===//
//
// Some operations need a rendezvous of the lanes of a wave. In the emulator, a rendezvous takes as much time as the
// operation itself. Operations of one kind therefore form a batch, which is executed at its last operation. Arithmetic
// that uses results of the batch is moved after the batch, and any other use ends the batch:
//
//   %v = read %p              %v, %w = read %p, %q
//   %x = extract %v       ->  %x = extract %v
//   %w = read %q
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_MATRIX_ROWS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_MATRIX_ROWS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket {

class Row {
public:
  /// `operations` are the operations of the batch, in order.
  explicit Row(llvm::ArrayRef<mlir::Operation *> operations);

  /// True if `value` is a result of the batch or depends on a result of the batch.
  bool gives(mlir::Value value) const { return given.contains(value); }
  /// True if the batch can be deferred to the next operation for which `isNext` returns true. All operations in between
  /// must be arithmetic of the lane, or operations for which `mayPass` returns true.
  bool canGoOn(llvm::function_ref<bool(mlir::Operation *)> isNext, llvm::function_ref<bool(mlir::Operation *)> mayPass);
  /// Moves the operations that depend on results of the batch to before `place`.
  void moveDependents(mlir::Operation *place);

private:
  bool dependsOnRow(mlir::Operation *op) const;
  /// Records `op` if it depends on a result of the batch.
  void pass(mlir::Operation *op);

  llvm::ArrayRef<mlir::Operation *> operations;
  llvm::SmallVector<mlir::Operation *> dependents;
  llvm::DenseSet<mlir::Value> given;
};

/// True if `op` is arithmetic of a single lane that cannot fail and has no effect on other lanes.
bool isArithmeticOfLane(mlir::Operation *op);

} // namespace hocket

#endif
