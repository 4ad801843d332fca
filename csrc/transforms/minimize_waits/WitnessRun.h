//===- WitnessRun.h - Searches arguments with which an operation comes too early -------------------===//
//
// WaitNeeds.h finds accesses that are in flight at an operation on some path, and CertainNeeds.h leaves the needs that no
// branch or loop of their own excludes. Relations between conditions may still exclude them:
//
//     if %n <= 1 {
//       for %k in range(%n) { copy a }      no second iteration overwrites the copy of the first one
//     }
//
// So an error also requires a *witness*: a run of the function's integer arithmetic, branches and loops, with chosen
// values of its arguments and of loaded integers, that reaches the operation with the access in flight. If no chosen
// value is a witness, there may still be one; the emulator then reports the operation at run time.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_WITNESSRUN_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_WITNESSRUN_H

#include "analysis/async/GroupsInFlight.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Searches witnesses of one function.
class WitnessRuns {
public:
  explicit WitnessRuns(mlir::func::FuncOp function) : function(function) {}

  /// True if a run reaches `op` after `start` at `when`, which is relative to the loops around `op`.
  bool reach(mlir::Operation *start, mlir::Operation *op, llvm::ArrayRef<GroupsInFlight::InLoop> when);

private:
  /// Interpreted operations, for all searches together. Without any left, no witness is found.
  static constexpr unsigned kMostOperations = 2'000'000;

  mlir::func::FuncOp function;
  unsigned operationsLeft = kMostOperations;
};

} // namespace hocket

#endif
