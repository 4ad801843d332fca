//===- LoopAccesses.h - Memory accesses of the operations of a loop -----------------===//
//
// Accesses are derived from effects and interfaces, not from names of operations. For example, a load through a buffer
// descriptor, an operation of a vendor's dialect, counts as a read of global memory.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_LOOPACCESSES_H
#define HOCKET_TRANSFORMS_PREFETCH_LOOPACCESSES_H

#include "dialect/hk/ir/HkDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hocket::prefetch {

/// The memory accesses of one operation, including the accesses of operations in its regions.
struct Accesses {
  bool readsGlobal = false;
  bool writesGlobal = false;
  /// True if the operation reads or writes buffers, which are in shared memory or another memory space.
  bool readsBuffer = false;
  bool writesBuffer = false;
  /// True if the operation allocates a buffer.
  bool allocates = false;
  /// True if the operation starts asynchronous accesses, commits them to a group, or waits for groups.
  bool isAsync = false;
  /// True if the operation prints, or asserts at run time. An operation that prints or asserts must keep its position,
  /// but accesses no memory.
  bool tells = false;
  /// True if the operation has unknown effects.
  bool isUnknown = false;
  /// Returns true if the operation reads global memory and has no other effects.
  bool onlyReadsGlobal() const { return readsGlobal && !touchesMore() && !readsBuffer && !writesBuffer; }
  /// Returns true if the operation writes buffers and has no other effects.
  bool onlyWritesBuffer() const { return writesBuffer && !touchesMore() && !readsBuffer && !readsGlobal; }
  bool isNothing() const { return !readsGlobal && !touchesMore() && !readsBuffer && !writesBuffer; }

private:
  bool touchesMore() const { return writesGlobal || allocates || isAsync || isUnknown; }
};

Accesses accessesOf(mlir::Operation *op);

/// Returns the tile that `op` fills; null if `op` fills no tile or several tiles. Operations in regions of `op` do not
/// count.
mlir::Value filledTile(mlir::Operation *op);

/// Returns the asynchronous copies in the branch of `op`, an scf.if that only copies, on one counter. Returns no copies
/// for other operations.
llvm::SmallVector<mlir::Operation *, 1> copiesInBranch(mlir::Operation *op);

/// Returns how the writes to the tile that `op` fills complete; synchronous if `op` fills no tile. For an scf.if that
/// only copies, returns how its copies complete.
hk::Completion completionOfFill(mlir::Operation *op);

/// Returns the buffers that `op` and nested operations access. A null element means any buffer.
llvm::SmallPtrSet<mlir::Operation *, 4> buffersOf(mlir::Operation *op);

/// True if `a` and `b` may access the same buffer.
bool mayShareBuffer(mlir::Operation *a, mlir::Operation *b);

/// Returns the operands of `op`, and the values that its regions use but do not define.
llvm::SmallVector<mlir::Value> usedValues(mlir::Operation *op);

} // namespace hocket::prefetch

#endif
