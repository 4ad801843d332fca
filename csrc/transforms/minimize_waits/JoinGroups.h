//===- JoinGroups.h - One group for products that are needed at the same time -----------------------===//
//
// An operation with results (AsyncResults) is a group of its own. Where two follow each other and are needed together,
// one group for both needs one commit and one wait instead of two:
//
//     scf.for {                                scf.for {
//       %d = start in %d0                        %d = start in %d0 {group goes on}
//       %e = start in %e0                        %e = start in %e0
//     }                                        }
//     wait {outstanding = 1}                   wait {outstanding = 0}
//     use %d                                   use %d
//     wait {outstanding = 0}
//     use %e                                   use %e
//
// Not where something between them needs a wait, nor where the loop around them (the function, if there is none) needs
// one of them well before the other: what is computed in between then hides the other one.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_JOINGROUPS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_JOINGROUPS_H

#include "transforms/minimize_waits/WaitNeeds.h"

namespace hocket {

/// `needs`: where each start is a group of its own. Those on `counters` are joined.
void joinGroups(mlir::Region &function, const AsyncUses &uses, llvm::ArrayRef<WaitNeed> needs,
                llvm::ArrayRef<hk::AsyncCounter> counters);

} // namespace hocket

#endif
