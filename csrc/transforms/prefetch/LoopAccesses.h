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
  bool readsShared = false;
  bool writesShared = false;
  /// Allocates shared memory.
  bool allocates = false;
  /// Starts asynchronous accesses, commits them to a group, or waits for groups.
  bool isAsync = false;
  /// Prints or asserts at run time: has a fixed position, but no accesses.
  bool tells = false;
  /// Has unknown effects.
  bool isUnknown = false;
  /// Reads global memory and does nothing else.
  bool onlyReadsGlobal() const { return readsGlobal && !touchesMore() && !readsShared && !writesShared; }
  /// Writes shared memory and does nothing else.
  bool onlyWritesShared() const { return writesShared && !touchesMore() && !readsShared && !readsGlobal; }
  bool isNothing() const { return !readsGlobal && !touchesMore() && !readsShared && !writesShared; }

private:
  bool touchesMore() const { return writesGlobal || allocates || isAsync || isUnknown; }
};

Accesses accessesOf(mlir::Operation *op);

/// Returns the tile of shared memory that `op` itself fills; null if there is none, or if there are several.
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
