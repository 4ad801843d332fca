//===- JoinGroups.h - Joins wgmmas that are needed at the same time into one group ------------------===//
//
// An operation with asynchronous results (AsyncResults), e.g. a wgmma, is a commit group of its own. If the results of
// two consecutive wgmmas are needed at the same program point, one group for both takes one commit and one wait instead
// of two:
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
// Two wgmmas are not joined if an operation between them needs a wait. Two wgmmas are not joined if many operations are
// between the first uses of their results, because these operations can overlap with the second wgmma.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_JOINGROUPS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_JOINGROUPS_H

#include "transforms/minimize_waits/WaitNeeds.h"

namespace hocket {

/// Joins commit groups of operations with asynchronous results on `counters`. `needs` must have been computed with each
/// of these operations in a commit group of its own.
void joinGroups(mlir::Region &function, const AsyncUses &uses, llvm::ArrayRef<WaitNeed> needs,
                llvm::ArrayRef<hk::AsyncCounter> counters);

} // namespace hocket

#endif
