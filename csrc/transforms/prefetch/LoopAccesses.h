//===- LoopAccesses.h - What the operations of a loop do to memory ------------------===//
//
// Asked of effects and interfaces, never of an operation's name: a load through a vendor's buffer descriptor is a read
// of global memory like any other.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_LOOPACCESSES_H
#define HOCKET_TRANSFORMS_PREFETCH_LOOPACCESSES_H

#include "dialect/hk/HkDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hocket::prefetch {

/// What one operation does, those in its regions included.
struct Accesses {
  bool readsGlobal = false;
  bool writesGlobal = false;
  bool readsShared = false;
  bool writesShared = false;
  /// Allocates shared memory.
  bool allocates = false;
  /// Starts asynchronous accesses, commits them to a group or waits for groups.
  bool isAsync = false;
  /// Tells the user something while the program runs: has its place, but accesses nothing.
  bool tells = false;
  /// Does something that we do not know.
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

/// The tile of shared memory that `op` itself fills; null if it does not, or fills several.
mlir::Value filledTile(mlir::Operation *op);

/// If `op` fills a tile asynchronously, what tells when it has.
std::optional<hk::AsyncCounter> counterOfFill(mlir::Operation *op);

/// The buffers that `op` accesses, those in its regions included; null stands for any buffer.
llvm::SmallPtrSet<mlir::Operation *, 4> buffersOf(mlir::Operation *op);

/// Whether the two may access the same buffer.
bool mayShareBuffer(mlir::Operation *a, mlir::Operation *b);

/// What `op` uses from outside: its operands, and what its regions take from around it.
llvm::SmallVector<mlir::Value> usedValues(mlir::Operation *op);

} // namespace hocket::prefetch

#endif
