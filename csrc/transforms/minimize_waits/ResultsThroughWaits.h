//===- ResultsThroughWaits.h - Read results after the wait that finishes them ------------------------===//
//
// A wait gives back the results that it finishes, so that nothing reads their registers before. Where waits are to move
// that is in the way; it is undone first and done again at the end:
//
//     %d = start ..               %d = start ..               %d = start ..
//     %e = wait %d                wait                        %e = wait %d
//     use %e                      use %d                      use %e
//
// Only what is used goes through a wait: what stays in flight, as a loop carries it, stays where it is.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_RESULTSTHROUGHWAITS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_RESULTSTHROUGHWAITS_H

#include "analysis/async/ResultsInRegisters.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Makes all uses those of the results themselves. A wait that gives back what nothing has started goes, unless
/// `keepsWaits`.
void takeResultsOutOfWaits(mlir::func::FuncOp function, bool keepsWaits);

/// Lets each use be of what the last wait before it gives back. `results`: of the function as it is but for its waits.
void putResultsThroughWaits(mlir::func::FuncOp function, const ResultsInRegisters &results);

} // namespace hocket

#endif
