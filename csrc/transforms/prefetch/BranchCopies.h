//===- BranchCopies.h - Separates copies in branches from other operations of the branches ----------===//
//
// A copy through registers in a branch is one operation of the loop's body, the scf.if, which loads, stores and
// computes. To prefetch the copy, its loads and its stores become operations of their own, under the same condition:
//
//     scf.if %c {                                %x = scf.if %c { yield hk.load %p } else { yield 0 }
//       %x = hk.load %p                          scf.if %c { hk.local_store %x, %tile }
//       hk.local_store %x, %tile           =>    scf.if %c {
//       %a = hk.local_load %tile                   %a = hk.local_load %tile
//       ...                                        ...
//     }                                          }
//
// The new operations are executed in the iterations in which the branch is taken. PipelinePlan.h determines whether the
// condition, like the addresses of loads, can be computed for a later iteration.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_BRANCHCOPIES_H
#define HOCKET_TRANSFORMS_PREFETCH_BRANCHCOPIES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket::prefetch {

/// Separates the copies in branches directly in the body of `loop`. Returns a clone of the original loop, which is in
/// no block; null if no copies are separated.
mlir::scf::ForOp separateBranchCopies(mlir::scf::ForOp loop);

} // namespace hocket::prefetch

#endif
