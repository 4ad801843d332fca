//===- PlaceCommits.h - Groups for copies that the program does not commit -------------------------===//
//
// One group for what is started in a row, so that few groups are in flight; but what a ring gets for different
// iterations is apart, so that the first iteration need not wait for the second one's copies:
//
//     copy -> %a[0]                          copy -> %a[0]
//     copy -> %b[0]                          copy -> %b[0]
//                                            hk.async_commit_group
//     copy -> %a[1]                          copy -> %a[1]
//     copy -> %b[1]                          copy -> %b[1]
//                                            hk.async_commit_group
//     scf.for ..                             scf.for ..
//
// A row ends before what may use a copy of it, before control flow, and at the end of a block.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_PLACECOMMITS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_PLACECOMMITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Commits all copies of `function`, on hk::kCopyGroups. It must not commit or wait itself.
void placeCommits(mlir::func::FuncOp function);

} // namespace hocket

#endif
