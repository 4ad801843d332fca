//===- CertainNeeds.h - Decides whether a missing wait is certainly an error ------------------===//
//
// WaitNeeds.h finds accesses that are in flight at an operation on some path. Possibly no execution takes that path,
// because conditions are related or loops run too few iterations. The need of an operation for a wait is *certain*, and
// the missing wait is an error, if the access is in flight whenever the operation is reached:
//
//     if %c { copy a }              not certain: possibly, %d is true only if %c is false
//     if %d { use a }
//
//     for %k {                      not certain: possibly, %late is true only after the wait of an earlier iteration
//       if %late { use a }
//       wait
//     }
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_CERTAINNEEDS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_CERTAINNEEDS_H

#include "analysis/async/AsyncUses.h"

namespace hocket {

/// Returns the trip count of `loop`; 0 if the trip count is not constant.
int64_t constantTrips(mlir::Operation *loop);

/// True if each execution that reaches `op` has started the access with index `number`. `when` gives the iterations in
/// which the access was started, relative to the loops around `op`. `op` must certainly conflict with the access, and
/// no wait on any path must have completed the access. `isInRegisters` is true if `op` uses the result of the access in
/// registers, and false if the conflict is in memory.
bool isStartedWhenReached(const AsyncUses &uses, mlir::Operation *op, unsigned number,
                          llvm::ArrayRef<GroupsInFlight::InLoop> when, bool isInRegisters);

} // namespace hocket

#endif
