//===- OutstandingCopies.h - Counts the copies that a wait for groups can leave in flight ----===//
//
// The hardware has no commit groups. The hardware counts the vector memory instructions in flight (vmcnt), which
// complete in the order of issue. `async_wait_group {outstanding = n}` therefore becomes a wait until at most k
// instructions are in flight. k must not exceed the number of instructions after the commit of the newest group that
// the wait must complete:
//
//     copy A0; copy A1; commit      group A: the wait must complete it
//     copy B0; copy B1; commit      group B
//     wait {outstanding = 1}        vmcnt(2)
//
// To find k, the search walks backwards from the wait to the (n + 1)-th commit, and counts the copies on the way. If
// paths differ, k is the smallest count. A path with fewer commits imposes no limit.
//
// Other vector memory instructions are not counted, because the back end can add, remove or move such instructions. If
// instructions that are not counted are in flight, the wait is only stronger than necessary.
//
// Method:  Dijkstra's algorithm, backwards, on a graph whose nodes are pairs (basic block, commits still to pass); the
//          length of a block is its number of copies.
// Cost:    O(blocks x (n + 1)) steps for each wait.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_OUTSTANDINGCOPIES_H
#define HOCKET_CONVERSION_LANE_TO_ROCDL_OUTSTANDINGCOPIES_H

#include "dialect/lane/LaneDialect.h"

#include <optional>

namespace hocket {

/// True if `op` is an instruction that copies into LDS.
bool isCopyToShared(mlir::Operation *op);

/// Returns the number of copies that can be in flight after `wait`, at most `limit`; nullopt if the wait need not
/// complete any group.
std::optional<int> countOutstandingCopies(lane::AsyncWaitGroupOp wait, int limit);

} // namespace hocket

#endif
