//===- LoopSlice.h - Backward slices within a loop ----------------------------------===//
//
// A slice follows definitions backward within the body, and around the loop: it includes the yielded value of each
// loop-carried variable in it.
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

  /// Adds the operations that compute `value`. Operations for which `isBoundary` is true are not followed.
  void add(mlir::Value value, mlir::scf::ForOp loop, llvm::function_ref<bool(mlir::Operation *)> isBoundary);
  /// Adds `op` itself and the operations that compute its operands.
  void add(mlir::Operation *op, mlir::scf::ForOp loop, llvm::function_ref<bool(mlir::Operation *)> isBoundary);
};

/// Returns the operations of one iteration that compute `op`, including itself. Loop-carried variables, and operations
/// for which `isEnd` is true, are not followed.
llvm::SetVector<mlir::Operation *> sliceOfIteration(mlir::Operation *op, mlir::scf::ForOp loop,
                                                    llvm::function_ref<bool(mlir::Operation *)> isEnd);

} // namespace hocket::prefetch

#endif
