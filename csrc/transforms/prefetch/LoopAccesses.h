//===- LoopAccesses.h - Memory accesses of the operations of a loop -----------------===//
//
// Derived from effects and interfaces, never from an operation's name: a load through a vendor's buffer descriptor is a
// read of global memory like any other.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_LOOPACCESSES_H
#define HOCKET_TRANSFORMS_PREFETCH_LOOPACCESSES_H

#include "dialect/hk/ir/HkDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hocket::prefetch {

/// The accesses of one operation, including nested ones.
struct Accesses {
  bool readsGlobal = false;
  bool writesGlobal = false;
  /// Buffers are in shared memory or in another memory space.
  bool readsBuffer = false;
  bool writesBuffer = false;
  /// Allocates a buffer.
  bool allocates = false;
  /// Starts asynchronous accesses, commits them to a group, or waits for groups.
  bool isAsync = false;
  /// Prints or asserts at run time: has a fixed position, but no accesses.
  bool tells = false;
  /// Has unknown effects.
  bool isUnknown = false;
  /// Reads global memory and does nothing else.
  bool onlyReadsGlobal() const { return readsGlobal && !touchesMore() && !readsBuffer && !writesBuffer; }
  /// Writes buffers and does nothing else.
  bool onlyWritesBuffer() const { return writesBuffer && !touchesMore() && !readsBuffer && !readsGlobal; }
  bool isNothing() const { return !readsGlobal && !touchesMore() && !readsBuffer && !writesBuffer; }

private:
  bool touchesMore() const { return writesGlobal || allocates || isAsync || isUnknown; }
};

Accesses accessesOf(mlir::Operation *op);

/// Returns the tile that `op` itself fills; null if there is none, or if there are several.
mlir::Value filledTile(mlir::Operation *op);

/// Returns how the writes of the tile that `op` fills complete; with the operation, if it fills none.
hk::Completion completionOfFill(mlir::Operation *op);

/// Returns the buffers that `op` accesses, including nested operations; null represents any buffer.
llvm::SmallPtrSet<mlir::Operation *, 4> buffersOf(mlir::Operation *op);

/// True if the two may access the same buffer.
bool mayShareBuffer(mlir::Operation *a, mlir::Operation *b);

/// Returns the values that `op` uses from outside: its operands, and captures of its regions.
llvm::SmallVector<mlir::Value> usedValues(mlir::Operation *op);

} // namespace hocket::prefetch

#endif
