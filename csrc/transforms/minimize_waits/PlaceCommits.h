//===- PlaceCommits.h - Inserts commits for copies that the program does not commit ----------------===//
//
// Consecutive copies form one group, so that few groups are in flight. Copies into different slots of a ring buffer are
// in separate groups, so that the first iteration need not wait for the copies of the second iteration:
//
//     copy -> %a[0]                          copy -> %a[0]
//     copy -> %b[0]                          copy -> %b[0]
//                                            hk.async_commit_group
//     copy -> %a[1]                          copy -> %a[1]
//     copy -> %b[1]                          copy -> %b[1]
//                                            hk.async_commit_group
//     scf.for ...                            scf.for ...
//
// A group ends before an operation that possibly uses one of its copies, before control flow, at the end of a stage of a
// warp pipeline, and at the end of a basic block.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_PLACECOMMITS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_PLACECOMMITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

/// Inserts commits for all copies of `function` that complete on the counter hk::kCopyGroups. The function must not
/// have commits or waits.
void placeCommits(mlir::func::FuncOp function);

} // namespace hocket

#endif
