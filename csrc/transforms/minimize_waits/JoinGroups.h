//===- JoinGroups.h - Joins wgmmas that are needed at the same time into one group ------------------===//
//
// An operation with results (AsyncResults) is a group of its own. If two consecutive ones are needed at the same time,
// one group for both needs one commit and one wait instead of two:
//
//     scf.for {                                scf.for {
//       %d = start in %d0                        %d = start in %d0 {group continues}
//       %e = start in %e0                        %e = start in %e0
//     }                                        }
//     wait {outstanding = 1}                   wait {outstanding = 0}
//     use %d                                   use %d
//     wait {outstanding = 0}
//     use %e                                   use %e
//
// They are not joined if an operation between them needs a wait, or if the loop around them (the function, if there is
// none) needs one of them well before the other: the computation in between then overlaps with the other one.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_JOINGROUPS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_JOINGROUPS_H

#include "transforms/minimize_waits/WaitNeeds.h"

namespace hocket {

/// `needs`: computed with each start as a group of its own. Starts on `counters` are joined.
void joinGroups(mlir::Region &function, const AsyncUses &uses, llvm::ArrayRef<WaitNeed> needs,
                llvm::ArrayRef<hk::AsyncCounter> counters);

} // namespace hocket

#endif
