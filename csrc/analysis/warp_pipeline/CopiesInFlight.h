//===- CopiesInFlight.h - Copies in flight at the start of a warp pipeline ---------===//
//
// In this file, every asynchronous access of shared memory is called a copy, because most of these accesses are copies.
// A copy in flight is a copy that was started before a pipeline, possibly by another pipeline. On some path to the
// pipeline, no wait covers the copy:
//
//     copy -> %ring[0]        commit
//     copy -> %ring[1]        commit
//     wait {outstanding = 1}            ring[0] has arrived; visible to all warps after the next barrier
//     scf.for {                         in flight here: ring[1] with age 1
//       hk.stage ...
//     } {hk.pipelined}
//
// If a pipeline continues another loop (hk.series), copies of that loop do not count: the two loops are treated as one
// loop, whose hazards StageHazards.h finds. The analysis of the second loop includes copies that were started before
// both loops. The barrier between the two loops separates such a copy from the second loop if the first loop contains
// the wait for the copy, or the fence after this wait.
//
// Method:  one walk in program order with PendingAccesses. Loops with a small known trip count are walked iteration by
//          iteration, other loops to a fixed point. After an `if`, the copies of both branches are in flight. In a loop
//          in which each iteration commits the same number of groups, the age of a copy determines the number of
//          iterations since the copy. If the loop contains the copy, this number determines the iteration that issued
//          the copy. If the copy precedes the loop, this number is the trip count of the loop.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_COPIESINFLIGHT_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_COPIESINFLIGHT_H

#include "analysis/memory/PendingAccesses.h"
#include "analysis/memory/RingSlots.h"
#include "analysis/warp_pipeline/WarpPipelines.h"
#include "llvm/ADT/DenseMap.h"

namespace hocket {

struct CopyInFlight {
  mlir::Operation *op = nullptr;
  /// The counter of asynchronous accesses on which the copy completes.
  hk::AsyncCounter counter;
  /// Number of commits on the counter since the copy, including the commit of the copy's own group. A wait that leaves
  /// n groups in flight covers copies of age n + 1 and more. A copy may be in flight with several ages.
  unsigned age = 0;
  /// True if the copy, and the values of its operands, may be from an earlier iteration of a loop around the pipeline.
  bool isOfEarlierIteration = false;
  /// `loop` is the loop that contains the copy and ended just before the pipeline; null if there is no such loop, or if
  /// the loop is unknown. `iteration` is the iteration of `loop` that issued the copy.
  mlir::scf::ForOp loop = {};
  RingIndex iteration = {};
  /// `passed` is the only loop between the copy and the pipeline; null if there is no such loop, or if the loop is
  /// unknown. `trips` is the trip count of `passed`.
  mlir::scf::ForOp passed = {};
  int64_t trips = 0;
};

class CopiesInFlight {
public:
  /// Finds the copies for each of `pipelines`, which must be the pipelines of `function`.
  CopiesInFlight(mlir::Operation *function, llvm::ArrayRef<WarpPipeline> pipelines);

  /// Returns the copies that are in flight when `pipeline` begins, the oldest first.
  llvm::SmallVector<CopyInFlight> before(const WarpPipeline &pipeline) const;

private:
  void findIteration(CopyInFlight &copy, unsigned number, mlir::Operation *begin) const;
  bool isOnlyOfRun(const CopyInFlight &copy, unsigned number, mlir::scf::ForOp loop) const;
  PendingAccesses walk(mlir::Region &region, PendingAccesses state);
  PendingAccesses walk(mlir::Operation &op, PendingAccesses state);
  PendingAccesses walkLoop(mlir::Operation &op, PendingAccesses state);
  PendingAccesses walkIterations(mlir::scf::ForOp loop, int64_t count, PendingAccesses state);

  struct Start {
    mlir::Operation *op;
    hk::AsyncCounter counter;
  };
  void number(mlir::Operation *op);

  /// The asynchronous accesses of shared memory in program order; an operation has one entry for each of its counters.
  llvm::SmallVector<Start> starts;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 1>> startsOf;
  /// For the first operation of each pipeline, the state before the operation; nullopt until the walk has reached the
  /// operation.
  llvm::DenseMap<mlir::Operation *, std::optional<PendingAccesses>> states;
};

} // namespace hocket

#endif
