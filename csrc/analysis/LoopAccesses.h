//===- LoopAccesses.h - How a kernel's loops access memory --------------------------===//
//
// Bank conflicts and cache lines, counted from layouts (layout/BankConflicts.h) and addresses (global/GlobalPlace.h),
// so before a kernel has run. Machine code shows neither these nor the names of stages: who reads its loops, in their
// order, finds all of it here.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_LOOPACCESSES_H
#define HOCKET_ANALYSIS_LOOPACCESSES_H

#include "layout/BankConflicts.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace hocket {

/// A tile is read from shared memory, or stored to it.
struct BankAccess {
  bool isStore = false;
  /// Index into the stages of the loop: that of the barrier that it comes after, the last one of the trip before where
  /// none does. 0 where there are no stages.
  int stage = 0;
  /// Of the warp that takes longest.
  Wavefronts wavefronts;
};

/// A tile of global memory.
struct LineAccess {
  enum class Kind { Load, Store, Copy /* to shared memory */ };
  Kind kind = Kind::Load;
  int stage = 0; ///< as above
  /// Of cache lines that it touches, as far as its elements are known to be neighbours.
  int64_t lineBytes = 0;
  int64_t tileBytes = 0;
};

/// A loop that no other loop is in.
struct LoopAccesses {
  /// Loops around it, and itself.
  int depth = 0;
  /// Labels of the stages of a warp pipeline, in the order of their barriers in the loop's body.
  std::vector<std::string> stages;
  std::vector<BankAccess> accesses;
  std::vector<LineAccess> lines;
};

/// The innermost loops of the kernels of `module`, in the order of the program. The module has decided layouts.
std::vector<LoopAccesses> loopAccessesOf(mlir::ModuleOp module);

} // namespace hocket

#endif
