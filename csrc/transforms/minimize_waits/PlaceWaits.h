//===- PlaceWaits.h - Inserts waits for accesses that the program uses without a wait --------------===//
//
// A wait is inserted as late as possible, directly before the operation that needs it. The wait is hoisted in the
// following cases:
//
//     scf.for { use a }             out of loops without commits: one wait suffices
//     scf.if { use a }              above the `if`: one wait for both branches, if neither commits
//     else   { use a }
//     scf.if { use a } ; use a      above the `if`: one wait for a branch and the code after it
//     arrive ; use a                before an arrival at an mbarrier, for which the warps synchronize
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_PLACEWAITS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_PLACEWAITS_H

#include "transforms/minimize_waits/WaitNeeds.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hocket {

/// Inserts the waits that `needs` require for accesses on `counters`, and returns them.
llvm::SmallPtrSet<mlir::Operation *, 4> placeWaits(llvm::ArrayRef<WaitNeed> needs, const AsyncUses &uses,
                                                   llvm::ArrayRef<hk::AsyncCounter> counters);

} // namespace hocket

#endif
