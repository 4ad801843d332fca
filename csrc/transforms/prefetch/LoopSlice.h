//===- LoopSlice.h - Backward slices within a loop ----------------------------------===//
//
// A backward slice contains the operations of the loop's body that compute some values. If a slice contains a
// loop-carried variable, it also contains the operations that compute the yielded value of the variable.
//
//     scf.for %i = ... iter_args(%p = %start) {     slice of %x:   %x, %q (the next value of %p); variable %p
//       %x = hk.load %p
//       %y = hk.local_load %tile
//       %q = hk.ptr_add %p, %step
//       scf.yield %q
//     }
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_LOOPSLICE_H
#define HOCKET_TRANSFORMS_PREFETCH_LOOPSLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace hocket::prefetch {

struct LoopSlice {
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<mlir::BlockArgument> carried;

  /// Adds the operations that compute `value`. The search stops at operations for which `isBoundary` returns true.
  void add(mlir::Value value, mlir::scf::ForOp loop, llvm::function_ref<bool(mlir::Operation *)> isBoundary);
  /// Adds `op` itself and the operations that compute its operands.
  void add(mlir::Operation *op, mlir::scf::ForOp loop, llvm::function_ref<bool(mlir::Operation *)> isBoundary);
};

/// Returns `op` and the operations of the same iteration that compute its operands. The search stops at loop-carried
/// variables and at operations for which `isEnd` returns true.
llvm::SetVector<mlir::Operation *> sliceOfIteration(mlir::Operation *op, mlir::scf::ForOp loop,
                                                    llvm::function_ref<bool(mlir::Operation *)> isEnd);

} // namespace hocket::prefetch

#endif
