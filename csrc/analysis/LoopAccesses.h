//===- LoopAccesses.h - Memory accesses of a kernel's loops -------------------------===//
//
// Counts the bank conflicts and the cache lines of the memory accesses in a kernel's loops, before the kernel runs.
// Bank conflicts follow from layouts (layout/BankConflicts.h), and cache lines follow from addresses
// (global/GlobalRange.h).
// Machine code contains neither bank conflicts, nor cache lines, nor the labels of stages. The analysis returns the
// loops in the order of the machine code, so a tool can match the results with the loops of the machine code.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_LOOPACCESSES_H
#define HOCKET_ANALYSIS_LOOPACCESSES_H

#include "dialect/hk/ir/HkDialect.h"
#include "layout/BankConflicts.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace hocket {

/// A load of a tile from shared memory, or a store of a tile to shared memory.
struct BankAccess {
  bool isStore = false;
  /// Index in LoopAccesses::stages of the stage that contains the access; 0 if the loop has no stages. A stage begins
  /// at its stage barrier; an access before the first stage barrier belongs to the last stage of the previous
  /// iteration.
  int stage = 0;
  /// Number of wavefronts that the access takes, in the warp for which this number is highest.
  Wavefronts wavefronts;
};

/// A load, a store, or a copy to shared memory, of a tile in global memory.
struct LineAccess {
  enum class Kind { Load, Store, Copy /* to shared memory */ };
  Kind kind = Kind::Load;
  int stage = 0; ///< index in LoopAccesses::stages of the stage that contains the access
  /// Size in bytes of the cache lines that the access covers. Elements that are not known to be adjacent count as
  /// elements of different cache lines.
  int64_t lineBytes = 0;
  int64_t tileBytes = 0;
};

/// The memory accesses of one innermost loop.
struct LoopAccesses {
  /// Nesting depth of the loop; 1 for a loop that is in no other loop.
  int depth = 0;
  /// Labels of the stages of a warp pipeline, in the order of their barriers in the loop's body.
  std::vector<std::string> stages;
  std::vector<BankAccess> accesses;
  std::vector<LineAccess> lines;
};

/// Returns the type of the shared memory tile that `op` accesses; null if there is no such tile.
hk::MemDescType sharedTileOf(mlir::Operation *op);

/// Returns the accesses of all innermost loops of the kernels of `module`, in program order. Every tensor type of
/// `module` must have a layout.
std::vector<LoopAccesses> loopAccessesOf(mlir::ModuleOp module);

} // namespace hocket

#endif
