//===- OutstandingCopies.h - How many copies a wait for groups may leave in flight ----------===//
//
// The hardware counts vector memory instructions in flight (vmcnt); they finish in the order of their issue. It knows
// no groups. So `async_wait_group {outstanding = n}` becomes "wait until at most k are in flight", where k must not
// exceed the number of instructions issued since the last group that must have arrived was closed:
//
//     copy A0; copy A1; commit      group A: must have arrived
//     copy B0; copy B1; commit      group B
//     wait {outstanding = 1}        vmcnt(2)
//
// Walking back from the wait, that is the number of copies before the (n + 1)-th commit. Paths may differ: the smallest
// number counts. A path that has fewer commits asks for nothing.
//
// Only copies into LDS are counted, not the other vector memory instructions, of which the back end may yet add, remove
// or move some: each of them in between only makes k smaller than it might be.
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

/// Is this an instruction that copies into LDS?
bool isCopyToShared(mlir::Operation *op);

/// How many copies may be in flight after `wait`, at most `limit`; nothing if no group needs to have arrived.
std::optional<int> countOutstandingCopies(lane::AsyncWaitGroupOp wait, int limit);

} // namespace hocket

#endif
