//===- CopiesInFlight.h - Which copies are in flight where a warp pipeline begins --===//
//
// An asynchronous access of shared memory, mostly a copy, that was started before a pipeline, perhaps in the stages of
// another one, and that no wait has covered on every path:
//
//     copy -> %ring[0]        commit
//     copy -> %ring[1]        commit
//     wait {outstanding = 1}            ring[0] has arrived; the barrier before the pipeline tells all warps
//     scf.for {                         here: ring[1] with age 1
//       hk.stage ..
//     } {hk.pipelined}
//
// The copies of a loop that a pipeline continues (hk.series) do not count, but those before both do: the stages
// are those of later iterations of one loop, and hazards among these are known (StageHazards.h). Where a wait for such
// a copy or its fence lies in the first loop, the barrier between the two settles it.
//
// Method:  one walk in program order with PendingAccesses. Short loops of a known number of iterations are walked so
//          many times, others until nothing new arrives at their start; after an `if`, what either branch leaves is in
//          flight. The age of a copy tells the iteration of a loop that has issued it, counted from its last one: each
//          has commits of its own. That of a copy before the loop tells how often the loop has run.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARP_PIPELINE_COPIESINFLIGHT_H
#define HOCKET_ANALYSIS_WARP_PIPELINE_COPIESINFLIGHT_H

#include "analysis/shared/PendingAccesses.h"
#include "analysis/shared/RingSlots.h"
#include "analysis/warp_pipeline/WarpPipelines.h"
#include "llvm/ADT/DenseMap.h"

namespace hocket {

struct CopyInFlight {
  mlir::Operation *op = nullptr;
  /// What tells when it is done.
  hk::AsyncCounter counter;
  /// How many commits on the counter have followed, its own among them. A wait that leaves n groups covers copies of
  /// age n + 1 and more. A copy may be in flight with several ages.
  unsigned age = 0;
  /// The copy, and values it was computed from, may be of an earlier run of the code around the pipeline.
  bool isOfEarlierIteration = false;
  /// The loop around the copy, which has run just before, and the iteration that has issued it; null if not known.
  mlir::scf::ForOp loop = {};
  RingIndex iteration = {};
  /// The loop that has run since, so often, if it is the only one; null if that is not known.
  mlir::scf::ForOp passed = {};
  int64_t trips = 0;
};

class CopiesInFlight {
public:
  /// Finds them for each of `pipelines`, which are those of `function`.
  CopiesInFlight(mlir::Operation *function, llvm::ArrayRef<WarpPipeline> pipelines);

  /// Where `pipeline` begins; the oldest first.
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
  /// What is in flight before the first operation of a pipeline; nothing yet where control has not come by.
  llvm::DenseMap<mlir::Operation *, std::optional<PendingAccesses>> states;
};

} // namespace hocket

#endif
