//===- BankAccesses.h - Bank conflicts of a kernel's loops --------------------------===//
//
// Counted from layouts (layout/BankConflicts.h), so before a kernel has run. Machine code shows neither layouts nor the
// names of stages: who reads its loops, in their order, finds both here.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_SHARED_BANKACCESSES_H
#define HOCKET_ANALYSIS_SHARED_BANKACCESSES_H

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

/// A loop that no other loop is in.
struct LoopAccesses {
  /// Loops around it, and itself.
  int depth = 0;
  /// Labels of the stages of a warp pipeline, in the order of their barriers in the loop's body.
  std::vector<std::string> stages;
  std::vector<BankAccess> accesses;
};

/// The innermost loops of the kernels of `module`, in the order of the program. The module has decided layouts.
std::vector<LoopAccesses> loopAccessesOf(mlir::ModuleOp module);

} // namespace hocket

#endif
