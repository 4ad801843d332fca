//===- PipelinePlan.h - Plans the software pipeline of a loop -----------------------===//
//
// A loop that copies tiles from global to shared memory is split into stages. In iteration i of the new loop, each
// stage runs for iteration i + `ahead` of the original loop:
//
//     through registers, 2 stages     read(i+1)      compute(i)     write(i+1)
//     through registers, 3 stages     compute(i)     write(i+1)     read(i+2)
//     asynchronous, N stages          wait(i)        copy(i+N-1)    compute(i)
//
//     read      loads from global memory whose values are stored to shared memory, and their addresses
//     write     stores of these values, and the computation between load and store
//     copy      asynchronous copies, and their commits
//     wait      the first operations of `compute`, up to the first wait
//     compute   all other operations
//
// The new loop is equivalent to the original loop. With copies through registers, accesses of shared memory keep their
// order: write(0) compute(0) write(1) compute(1) ... Only loads from global memory are hoisted to earlier iterations,
// which requires that the loop does not store to global memory. Asynchronous copies can be hoisted because they write a
// slot that no iteration in flight uses (BufferSlots.h).
//
// Each stage recomputes values that do not depend on memory (addresses, masks, loop-carried values), because this is
// cheaper than keeping them in registers. Only loaded values are passed from `read` to later stages.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_PIPELINEPLAN_H
#define HOCKET_TRANSFORMS_PREFETCH_PIPELINEPLAN_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <variant>

namespace hocket::prefetch {

struct PipelineStage {
  /// Number of iterations by which the stage is ahead of the new loop's induction variable.
  int64_t ahead = 0;
  /// True if a scheduling barrier is needed to prevent the back end from interleaving this stage with earlier stages in
  /// the loop.
  bool isKeptApart = false;
  /// The operations of the stage and the operations on which they depend. If the stage `read` passes loaded values to
  /// this stage, the loads, and operations on which only the loads depend, are not included.
  llvm::SetVector<mlir::Operation *> ops;
  /// The loop-carried variables that `ops` use.
  llvm::SetVector<mlir::BlockArgument> carried;
};

struct CounterGroups {
  hk::AsyncCounter counter;
  int64_t perIteration = 0;
};

struct PipelinePlan {
  mlir::scf::ForOp loop;
  /// The stages in their order in the body of the new loop.
  llvm::SmallVector<PipelineStage, 3> stages = {};
  /// Loads whose values are passed from one stage to another.
  llvm::SetVector<mlir::Operation *> reads = {};
  /// The stores or asynchronous copies that fill shared memory.
  llvm::SmallVector<mlir::Operation *> writes = {};
  bool isAsync = false;
  /// For asynchronous copies: the commit groups of each iteration.
  llvm::SmallVector<CounterGroups, 1> groups = {};

  /// Returns the maximum of `ahead` over all stages.
  int64_t depth() const;
  /// Returns the number of additional groups that `wait` can leave in flight for each later iteration that has started
  /// its copies. The number is the minimum over the counters of `wait`, because waiting for more groups is always
  /// correct.
  int64_t groupsOf(hk::AsyncWait wait) const;
};

/// The reason why a loop is not pipelined.
struct Refusal {
  /// The operation that prevents pipelining; null if the reason concerns the loop as a whole.
  mlir::Operation *at = nullptr;
  std::string reason;
  std::string hint = {};
  /// True if no copies are directly in the loop. A loop without copies gets no warning if `num_stages` is set for the
  /// whole kernel.
  bool copiesNothing = false;
  /// True if the only copies are in an inner loop.
  bool onlyInnerLoopCopies = false;
};

/// Emits a warning with the reason why `loop` is not prefetched.
void warnNotPrefetched(mlir::scf::ForOp loop, const Refusal &why);

/// Plans a software pipeline with `numStages` stages, at least 2. With copies through registers, the pipeline has at
/// most 3 stages.
std::variant<PipelinePlan, Refusal> planPipeline(mlir::scf::ForOp loop, int64_t numStages);

/// Returns the trip count of a loop with constant bounds; nullopt for other loops.
std::optional<int64_t> constantTripCount(mlir::scf::ForOp loop);

} // namespace hocket::prefetch

#endif
