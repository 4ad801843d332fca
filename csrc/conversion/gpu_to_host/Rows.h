//===- Rows.h - Operations that a wave computes in one meeting -----------------------------===//
//
// For a wave to meet costs as much as most of what it meets for. Operations of one kind therefore wait for the last of
// a row of them, as long as nothing else needs their results. Arithmetic that does moves to after the meeting:
//
//   %v = read %p              %v, %w = read %p, %q
//   %x = extract %v       ->  %x = extract %v
//   %w = read %q
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_ROWS_H
#define HOCKET_CONVERSION_GPU_TO_HOST_ROWS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket {

class Row {
public:
  /// `operations` in their order.
  explicit Row(llvm::ArrayRef<mlir::Operation *> operations);

  /// Whether `value` is a result of the row, or depends on one.
  bool gives(mlir::Value value) const { return given.contains(value); }
  /// Whether a meeting for the row may wait for the next operation for which `isNext` holds. Only arithmetic of the
  /// lane comes before it, and what `mayPass` allows.
  bool canGoOn(llvm::function_ref<bool(mlir::Operation *)> isNext, llvm::function_ref<bool(mlir::Operation *)> mayPass);
  /// Moves what depends on results of the row before `place`.
  void moveDependents(mlir::Operation *place);

private:
  bool dependsOnRow(mlir::Operation *op) const;
  /// Takes note of it if `op` depends on a result of the row.
  void pass(mlir::Operation *op);

  llvm::ArrayRef<mlir::Operation *> operations;
  llvm::SmallVector<mlir::Operation *> dependents;
  llvm::DenseSet<mlir::Value> given;
};

/// Whether `op` is arithmetic of its lane, which cannot fail and which nobody else can see.
bool isArithmeticOfLane(mlir::Operation *op);

} // namespace hocket

#endif
