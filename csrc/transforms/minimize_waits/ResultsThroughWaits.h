//===- ResultsThroughWaits.h - Routes uses of results through the waits that complete them -----------===//
//
// A wait returns the results that it completes, so that their registers are not read earlier. Waits with uses cannot be
// moved freely. The pass therefore first makes the uses bypass the waits (second column), and finally routes them
// through the waits again (third column):
//
//     %d = start ...              %d = start ...              %d = start ...
//     %e = wait %d                wait                        %e = wait %d
//     use %e                      use %d                      use %e
//
// Only results with a use after the wait are routed through the wait. Results that stay in flight, such as loop-carried
// results, are not routed through the wait. If a use lacks a wait on some path, the conditions of the kernel possibly
// exclude that path. The use then reads the result directly before its operation, not from a wait; uses on other paths
// read the result of their own wait. A use that only moves the result into other registers is executed on every path,
// so a wait is inserted before this use.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_RESULTSTHROUGHWAITS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_RESULTSTHROUGHWAITS_H

#include "analysis/async/AsyncUses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Replaces uses of the results of waits by the values that were passed to the waits. A wait that returns a value other
/// than the result of an access is erased, unless `keepsWaits`.
void takeResultsOutOfWaits(mlir::func::FuncOp function, bool keepsWaits);

/// True if `op` only moves results into other registers: a terminator, or the arith.select that replaces an early
/// return.
bool movesResult(mlir::Operation *op);

/// Makes each use of an asynchronous result read the result of the last wait before the use. `uses` must have been
/// computed for the current IR. `mayBeEarly` is true if some use possibly lacks a wait on some path.
void putResultsThroughWaits(mlir::func::FuncOp function, const AsyncUses &uses, bool mayBeEarly);

} // namespace hocket

#endif
