//===- PipelinePlan.h - Plans the software pipeline of a loop -----------------------===//
//
// A loop that copies tiles from global to shared memory is split into stages. The body of the new loop, in iteration i,
// runs each stage for a different original iteration, i + ahead:
//
//     through registers, 2 stages     read(i+1)      compute(i)     write(i+1)
//     through registers, 3 stages     compute(i)     write(i+1)     read(i+2)
//     asynchronous, N stages          wait(i)        copy(i+N-1)    compute(i)
//
//     read      loads from global memory whose values are stored to shared memory, and their addresses
//     write     stores of these values, and the computation in between
//     copy      asynchronous copies, and their commits
//     compute   all other operations; `wait` is its part up to the first wait
//
// The new loop is equivalent. Through registers, accesses of shared memory keep their order, write(0) compute(0)
// write(1) compute(1) ...; only loads from global memory move earlier, in a loop that does not store to it.
// Asynchronous copies move earlier into a slot of shared memory that is free of iterations in flight (BufferSlots.h).
//
// Each stage recomputes the values that it needs and that do not depend on memory (addresses, masks, loop-carried
// values); only loaded values are passed from `read` to later stages. It is cheaper to compute addresses twice than to
// keep them in registers.
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
  /// Number of iterations.
  int64_t ahead = 0;
  /// Prevents the back end from interleaving this stage with earlier ones, while the loop repeats.
  bool isKeptApart = false;
  /// The stage's operations and all operations that they depend on, up to the values that `read` passes on.
  llvm::SetVector<mlir::Operation *> ops;
  /// Loop-carried variables among these values.
  llvm::SetVector<mlir::BlockArgument> carried;
};

struct CounterGroups {
  hk::AsyncCounter counter;
  int64_t perIteration = 0;
};

struct PipelinePlan {
  mlir::scf::ForOp loop;
  /// The stages in the order of the new body.
  llvm::SmallVector<PipelineStage, 3> stages = {};
  /// Loads whose values are passed from one stage to another.
  llvm::SetVector<mlir::Operation *> reads = {};
  /// The stores or asynchronous copies that fill shared memory.
  llvm::SmallVector<mlir::Operation *> writes = {};
  bool isAsync = false;
  /// For asynchronous copies: the groups that each iteration commits ahead.
  llvm::SmallVector<CounterGroups, 1> groups = {};

  /// Number of iterations that the foremost stage is ahead.
  int64_t depth() const;
  /// Number of these groups that `wait` may leave in flight per begun iteration; the minimum if it waits on several
  /// counters. Waiting for more groups is always correct.
  int64_t groupsOf(hk::AsyncWait wait) const;
};

/// The reason why a loop is not pipelined.
struct Refusal {
  /// The operation that is the reason; null for the loop as a whole.
  mlir::Operation *at = nullptr;
  std::string reason;
  std::string hint = {};
  /// True if the loop copies nothing: a `num_stages` of the whole kernel then does not apply to it.
  bool copiesNothing = false;
};

/// Plans `numStages` (at least 2) stages; copies through registers have at most 3.
std::variant<PipelinePlan, Refusal> planPipeline(mlir::scf::ForOp loop, int64_t numStages);

/// Returns the trip count of a loop with constant bounds.
std::optional<int64_t> constantTripCount(mlir::scf::ForOp loop);

} // namespace hocket::prefetch

#endif
