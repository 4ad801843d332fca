//===- CertainNeeds.h - Does each execution that reaches an operation need a wait there? -------------===//
//
// WaitNeeds.h finds accesses that are in flight at an operation on some path. A kernel may exclude that path: its
// conditions may be related, and its loops may run too rarely. A need is *certain*, which makes it an error, if the
// access is in flight whenever the operation is reached:
//
//     if %c { copy a }              not certain: %d may hold only if %c does not
//     if %d { use a }
//
//     for %k {                      not certain: the condition may hold only after the wait of another iteration
//       if %late { use a }
//       wait
//     }
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_CERTAINNEEDS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_CERTAINNEEDS_H

#include "analysis/async/AsyncUses.h"

namespace hocket {

/// Returns the trip count of `loop`; 0 if it is not constant.
int64_t constantTrips(mlir::Operation *loop);

/// True if start `number` was reached, in the iterations of `when`, in each execution that reaches `op`, provided that
/// they certainly meet and no wait has finished the access on any path. `isInRegisters`: `op` uses the result.
bool isStartedWhenReached(const AsyncUses &uses, mlir::Operation *op, unsigned number,
                          llvm::ArrayRef<GroupsInFlight::InLoop> when, bool isInRegisters);

} // namespace hocket

#endif
