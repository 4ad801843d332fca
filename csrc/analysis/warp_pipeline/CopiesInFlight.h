//===- CopiesInFlight.h - Copies in flight at the start of a warp pipeline ---------===//
//
// An asynchronous access of shared memory, mostly a copy, that was started before a pipeline, perhaps in the stages of
// another one, and that is not covered by a wait on every path:
//
//     copy -> %ring[0]        commit
//     copy -> %ring[1]        commit
//     wait {outstanding = 1}            ring[0] has arrived; the barrier before the pipeline shows that to all warps
//     scf.for {                         here: ring[1] with age 1
//       hk.stage ...
//     } {hk.pipelined}
//
// Copies of a loop that a pipeline continues (hk.series) do not count, but copies before both do: the stages are those
// of later iterations of one loop, and hazards among these are known (StageHazards.h). If a wait for such a copy or its
// fence is in the first loop, the barrier between the two settles it.
//
// Method:  one walk in program order with PendingAccesses. Short loops with a known trip count are walked iteration by
//          iteration, others to a fixed point; after an `if`, the copies of both branches are in flight. As each
//          iteration has its own commits, the age of a copy determines the iteration of its loop that has issued it,
//          counted from the last one. The age of a copy before the loop determines the loop's trip count since.
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
  /// The counter on which it completes.
  hk::AsyncCounter counter;
  /// Number of commits on the counter since, including its own. A wait that leaves n groups in flight covers copies of
  /// age n + 1 and more. A copy may be in flight with several ages.
  unsigned age = 0;
  /// True if the copy, and the values that it was computed from, may be from an earlier execution of the code around
  /// the pipeline.
  bool isOfEarlierIteration = false;
  /// The loop around the copy, which has run just before, and the iteration that has issued it; null if unknown.
  mlir::scf::ForOp loop = {};
  RingIndex iteration = {};
  /// The only loop that has run since, with its trip count; null if unknown.
  mlir::scf::ForOp passed = {};
  int64_t trips = 0;
};

class CopiesInFlight {
public:
  /// Finds the copies for each of `pipelines`, which must be those of `function`.
  CopiesInFlight(mlir::Operation *function, llvm::ArrayRef<WarpPipeline> pipelines);

  /// Returns the copies in flight where `pipeline` begins, the oldest first.
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

  /// Numbered in program order; an operation may start accesses on several counters.
  llvm::SmallVector<Start> starts;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 1>> startsOf;
  /// The copies in flight before the first operation of a pipeline; nullopt before the walk has reached it.
  llvm::DenseMap<mlir::Operation *, std::optional<PendingAccesses>> states;
};

} // namespace hocket

#endif
