//===- OutstandingCopies.h - Number of copies that a wait for groups may leave in flight ----===//
//
// The hardware counts vector memory instructions in flight (vmcnt); they complete in the order of issue. It has no
// groups. So `async_wait_group {outstanding = n}` becomes "wait until at most k are in flight", where k must not exceed
// the number of instructions issued since the commit of the last group that must have arrived:
//
//     copy A0; copy A1; commit      group A: must have arrived
//     copy B0; copy B1; commit      group B
//     wait {outstanding = 1}        vmcnt(2)
//
// That is the number of copies before the (n + 1)-th commit, walking back from the wait. If paths differ, the smallest
// number applies. A path with fewer commits imposes no limit.
//
// Only copies into LDS are counted, not other vector memory instructions, as the back end may still add, remove or move
// those: each of them in between only makes k smaller than possible.
//
// Method:  Dijkstra's algorithm backwards over (block, commits still to pass); a block's copies are its length.
// Cost:    per wait, O(blocks x (n + 1)) steps.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_OUTSTANDINGCOPIES_H
#define HOCKET_CONVERSION_LANE_TO_ROCDL_OUTSTANDINGCOPIES_H

#include "dialect/lane/LaneDialect.h"

#include <optional>

namespace hocket {

/// True if `op` is an instruction that copies into LDS.
bool isCopyToShared(mlir::Operation *op);

/// Returns the number of copies that may be in flight after `wait`, at most `limit`; nullopt if no group needs to have
/// arrived.
std::optional<int> countOutstandingCopies(lane::AsyncWaitGroupOp wait, int limit);

} // namespace hocket

#endif
