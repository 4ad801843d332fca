//===- LoopSlice.h - All that operations of a loop are computed from ----------------===//
//
// Followed backward within the body, and around the loop: the next value of a variable is part of what it is computed
// from.
//
//     scf.for %i = .. iter_args(%p = %start) {      slice of %x:   %x, %q (the next value of %p); variable %p
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

  /// Adds what makes `value`. Operations that `isBoundary` are not followed.
  void add(mlir::Value value, mlir::scf::ForOp loop, llvm::function_ref<bool(mlir::Operation *)> isBoundary);
  /// Adds `op` itself and what it is computed from.
  void add(mlir::Operation *op, mlir::scf::ForOp loop, llvm::function_ref<bool(mlir::Operation *)> isBoundary);
};

/// The operations of one iteration that `op` is computed from, itself included. Variables of the loop are not followed,
/// nor operations that are an `isEnd`.
llvm::SetVector<mlir::Operation *> sliceOfIteration(mlir::Operation *op, mlir::scf::ForOp loop,
                                                    llvm::function_ref<bool(mlir::Operation *)> isEnd);

} // namespace hocket::prefetch

#endif
