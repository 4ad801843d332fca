//===- WitnessRun.h - Searches for executions in which an operation lacks a wait --------------===//
//
// WaitNeeds.h finds accesses that are in flight at an operation on some path, and CertainNeeds.h drops needs for waits
// that a single branch or loop possibly excludes. Relations between several conditions can exclude other needs:
//
//     if %n <= 1 {
//       for %k in range(%n) { copy a }      no second iteration overwrites the copy of the first one
//     }
//
// An error therefore also requires a *witness*: an execution that reaches the operation with the access in flight. The
// search for a witness executes the function's integer arithmetic, branches and loops, with chosen values for arguments
// and loaded integers. If only values that the search does not choose lead to a witness, the emulator reports the
// missing wait at run time.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_WITNESSRUN_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_WITNESSRUN_H

#include "analysis/async/GroupsInFlight.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Searches for witnesses in one function.
class WitnessRuns {
public:
  explicit WitnessRuns(mlir::func::FuncOp function) : function(function) {}

  /// True if some run executes `op` after `start`, and `start` is executed in the iterations that `when` describes,
  /// relative to the loops around `op`.
  bool reach(mlir::Operation *start, mlir::Operation *op, llvm::ArrayRef<GroupsInFlight::InLoop> when);

private:
  /// Maximum number of interpreted operations over all searches. Searches that reach the maximum end without a witness.
  static constexpr unsigned kMostOperations = 2'000'000;

  mlir::func::FuncOp function;
  unsigned operationsLeft = kMostOperations;
};

} // namespace hocket

#endif
