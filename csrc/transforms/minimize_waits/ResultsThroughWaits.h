//===- ResultsThroughWaits.h - Routes uses of results through the waits that complete them -----------===//
//
// A wait returns the results that it completes, so that their registers are not read earlier. This prevents waits from
// moving, so it is undone first and restored at the end:
//
//     %d = start ...              %d = start ...              %d = start ...
//     %e = wait %d                wait                        %e = wait %d
//     use %e                      use %d                      use %e
//
// Only used results go through a wait: results that stay in flight, such as loop-carried ones, stay in place. A use that
// is too early on some path, which the conditions of the kernel may exclude, reads the result directly before the use:
// uses on other paths read it after their own wait. A use that only moves the result into other registers is executed
// whatever these conditions are: a wait comes before it.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_RESULTSTHROUGHWAITS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_RESULTSTHROUGHWAITS_H

#include "analysis/async/AsyncUses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Replaces all uses by the results themselves. A wait that returns a value other than the result of an access is
/// erased, unless `keepsWaits`.
void takeResultsOutOfWaits(mlir::func::FuncOp function, bool keepsWaits);

/// True if `op` only moves results into other registers: the end of a block, or the select that an early return became.
bool movesResult(mlir::Operation *op);

/// Lets each use read the result of the last wait before it. `uses`: of the function in its present form. `mayBeEarly`: a
/// use may come before its result is finished on some path.
void putResultsThroughWaits(mlir::func::FuncOp function, const AsyncUses &uses, bool mayBeEarly);

} // namespace hocket

#endif
